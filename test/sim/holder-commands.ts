import type { AccountOwners } from '#commands/registry/processes/services.ts';
import { holderWriteRoutes } from '#commands/registry/api/holder.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Request as HttpRequest } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { IdempotencyKey } from '#src/journal/batch.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import { journalOfRegistry } from '#commands/registry/registry.ts';
import type { BookedHolder } from './holder-books.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { CommandWish } from './request.ts';

/** A request about a person; its document is never changed. */
export type HolderWish = Readonly<{ organizationId: Uuid; name: string; document: string }> &
  (
    Readonly<{ type: 'create' }> | Readonly<{ type: 'update' | 'delete' | 'erase'; holderId: Uuid }>
  );

/** Few documents, so that clients claim the same ones; some holders are erased while others change them. */
export function holderWish(
  random: Random,
  organizationId: Uuid,
  holders: readonly BookedHolder[],
): CommandWish {
  const person = { name: random.pick(NAMES), document: random.pick(DOCUMENTS) };
  const some = holders.length > 0 && !random.oneIn(3) ? random.pick(holders) : undefined;
  const type = random.weighted({ update: 3, delete: 1, erase: 2 });
  return wishOf(
    some === undefined
      ? { type: 'create', organizationId, ...person }
      : { type, organizationId, ...person, document: some.document, holderId: some.id },
  );
}

/** Several at once about one document: creations, and the end of the holder that has it. */
export function holderThrong(
  random: Random,
  organizationId: Uuid,
  holders: readonly BookedHolder[],
): readonly CommandWish[] {
  const document = random.pick(DOCUMENTS);
  const holder = holders.find((one) => one.document === document);
  return Array.from({ length: 2 + random.below(3) }, () => {
    const person = { organizationId, document, name: random.pick(NAMES) };
    const type = random.pick(['create', 'create', 'update', 'delete', 'erase'] as const);
    return wishOf(
      holder === undefined || type === 'create'
        ? { type: 'create', ...person }
        : { type, holderId: holder.id, ...person },
    );
  });
}

function wishOf(holder: HolderWish): CommandWish {
  const { name } = journalOfRegistry(holder.organizationId);
  return {
    kind: holder.type === 'create' ? 'holder' : 'holder change',
    journal: { name },
    command: () => {
      throw new Error('A holder is written by several commands');
    },
    holder,
  };
}

/** Runs the handler of the route, with the keys of one process. Errors: Refusal, Unavailable. */
export async function runHolder(
  { commands, ids, keys }: Process,
  wish: HolderWish,
  context: CommandContext,
  idempotency: Pick<IdempotencyKey, 'key' | 'ttlSeconds'> | undefined,
): Promise<Reply> {
  const { type, organizationId: organization_id, name, document } = wish;
  const request = {
    context,
    idempotency,
    path: { organization_id, holder_id: 'holderId' in wish ? wish.holderId : undefined },
    query: type === 'erase' ? { hard_delete: 'true' } : {},
    body: type === 'create' ? { type: 'NATURAL_PERSON', name, document } : { name },
  } as unknown as HttpRequest;
  const components = { registry: { keys, accounts: NO_ACCOUNTS } };
  const services = { commands, ids, components } as unknown as Services;
  return HANDLERS[type](request, services);
}

/** The accounts of a simulated run are opened without holders. */
export const NO_ACCOUNTS: AccountOwners = {
  ownsAccounts: async () => false,
  stillOwnsAccounts: async () => false,
};

const [CREATE, UPDATE, DELETE] = holderWriteRoutes.map(
  (one) => one.handle as (request: HttpRequest, services: Services) => Promise<Reply>,
);
const HANDLERS = { create: CREATE!, update: UPDATE!, delete: DELETE!, erase: DELETE! };

const NAMES = ['Ana', 'Ben', 'Caio'];
const DOCUMENTS = ['one', 'two', 'three', 'four'];
