import type { Instant } from '#src/kernel/instant.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { instant, name, record, text, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

export const createApplicationBody = record(
  {
    name: {
      ...name(255),
      description: 'The product that the application is for',
      examples: ['plugin-fees'],
    },
    description: { ...text(1024), default: '' },
  },
  ['name'],
) satisfies Schema;

const shown = { type: 'string' } as const;

const members = {
  id: uuid,
  name: shown,
  description: shown,
  clientId: shown,
  clientSecret: {
    type: 'string',
    description:
      'In clear text only in the response that created it; afterwards `********`, unless the operator exposes secrets',
  },
  createdAt: instant,
} as const;

export const applicationSchema = {
  title: 'Application',
  links: { members: { application_id: 'id' } },
  ...record(members, [
    ...(['id', 'name', 'description', 'clientId', 'clientSecret', 'createdAt'] as const),
  ]),
} as const satisfies Schema;

/** Shows an application, with the secret where it is known. */
export const applicationView = (
  application: ShownApplication,
  clientSecret = '********',
): object => {
  const { id, name: product, description, clientId, createdAt } = application;
  return { id, name: product, description, clientId, clientSecret, createdAt };
};

type ShownApplication = Readonly<{
  id: Uuid;
  name: string;
  description: string;
  clientId: string;
  createdAt: Instant;
}>;
