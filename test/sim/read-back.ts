import { Refusal } from '#src/domain/errors.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import { isOutside, stackOf, type Process } from './process.ts';
import type { Attempt } from './request.ts';
import type { World } from './world.ts';

/** What an acknowledgement said: the first event, and the revision that holds all of them. */
export type Told = Readonly<{ journal: string; revision: number; first: number }>;

type Look = Readonly<{ collection: string; id: string; version?: number }>;

/**
 * Read your writes: whoever was told that something happened, and then looks for it, finds it or is told to
 * come again. It never sees the time before.
 */
export async function readBack(
  world: World,
  { request, requestId, process }: Attempt,
  { journal, revision, first }: Told,
  reader: Process,
): Promise<void> {
  if (request.tenantId !== 'default') return;
  const token = reader !== process || world.chance.oneIn(2) ? { [journal]: revision } : undefined;
  const events = world.log.read(journal, first, request.kind === 'asset' ? 2 : 1);
  for (const { type, data } of events) {
    const event = { type, data: JSON.parse(data) as unknown } as LedgerEvent | OrganizationEvent;
    for (const { collection, id, version } of looksFor(event)) {
      try {
        const row = await reader.reading.row(collection, id, journal, token);
        if (!reader.isAlive()) return;
        const shown = row?.values['version'];
        const stale = row === undefined || (typeof shown === 'number' && shown < (version ?? 0));
        const what = `${requestId} was told ${journal} ${revision}, then ${reader.name} showed`;
        if (stale) world.fail(`${what} ${collection} ${id} as ${JSON.stringify(row)}`);
        world.reads.seen += 1;
      } catch (error) {
        const expected = error instanceof Refusal && error.refusal === 'UNAVAILABLE';
        if (!expected && !isOutside(error)) world.fail(stackOf(error));
        world.reads.early += 1;
      }
    }
  }
}

function looksFor(event: LedgerEvent | OrganizationEvent): Look[] {
  switch (event.type) {
    case 'OrganizationCreated':
      return [{ collection: 'organization', id: event.data.organization.id }];
    case 'AssetCreated':
      return [{ collection: 'asset', id: event.data.asset.id }];
    case 'AccountOpened':
      return [
        { collection: 'account', id: event.data.account.id },
        { collection: 'balance', id: event.data.balance.id },
      ];
    case 'TransactionPosted':
      return [
        { collection: 'transaction', id: event.data.transaction.id },
        ...event.data.transaction.operations.map(({ balanceId, balanceAfter: { version } }) => {
          return { collection: 'balance', id: balanceId, version };
        }),
      ];
    default:
      return []; // Steps of a ledger's creation show nothing of their own.
  }
}
