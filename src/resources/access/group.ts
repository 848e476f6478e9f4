import type { Instant } from '#src/kernel/instant.ts';
import { instant, record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const shown = { type: 'string' } as const;

export const groupSchema = {
  title: 'Group',
  ...record(
    {
      id: { ...shown, examples: ['admin-group'] },
      name: shown,
      createdAt: instant,
      users: { type: 'array', items: shown, description: 'The usernames of its members' },
    },
    ['id', 'name', 'createdAt', 'users'],
  ),
} as const satisfies Schema;

/** Shows a group, which is named like its id. */
export const groupView = (id: string, users: readonly string[]): object => ({
  id,
  name: id,
  createdAt: SINCE,
  users,
});

/** Groups come with the platform and never change, so that they are as old as it. */
export const SINCE = '2026-01-01T00:00:00.000000Z' as Instant;
