import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { OrganizationCommand } from '#commands/ledger/organization-commands.ts';
import type { RequestedLeg, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import {
  itemLocation,
  legLocation,
  type LegLocation,
  type RequestLocations,
} from '#commands/ledger/transaction/locations.ts';
import type { Side } from '#src/events/shared.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { uniqueEntities, type Entity } from '#src/kernel/unique-values.ts';
import { memberOf } from './claimant.ts';

/** Metadata that a request writes on one record. Metadata copied from an earlier record does not count. */
export type MetadataWritten = Readonly<{
  entity: Entity;
  /** A null removes its key. */
  metadata: Readonly<Record<string, unknown>>;
  /** The record that is changed; undefined for a new one. */
  of?: Uuid | undefined;
  /** The location of the metadata in the request. */
  location: string;
  /** The index of the event, among those of the command, that records it. */
  event: number;
}>;

export type MetadataCommand = LedgerCommand | OrganizationCommand;

/**
 * The metadata that a command writes. It is called for every command, so a command without metadata must cost nothing.
 */
export function metadataWrittenBy(command: MetadataCommand): readonly MetadataWritten[] {
  switch (command.type) {
    case 'PostTransaction':
      return writtenIn(command.request, command.locations);
    case 'PostTransactions':
      return command.requests.flatMap((request, n) =>
        writtenIn(request, command.locations, n).map((written) => {
          return { ...written, location: `${itemLocation(command.items, n)}.${written.location}` };
        }),
      );
    case 'CheckGroupPart':
    case 'PrepareGroupPart':
      return 'details' in command.part
        ? [
            ...writtenOn('transaction', command.part.details),
            ...writtenOnLegs(command.part.postings.filter(({ origin }) => origin === 'request')),
          ]
        : NOTHING;
    case 'ReserveLedgerName':
      return writtenOn('ledger', command.ledger);
    case 'ReserveLedgerRename':
    case 'ReserveLedgerMetadata':
      return writtenOn('ledger', command.changes, command.ledgerId);
    case 'CommitTransaction':
    case 'CancelTransaction':
    case 'RevertTransaction':
      return NOTHING; // These are frequent, so they skip the lookup below.
    default: {
      const entity = RECORD_COMMANDS.get(command.type);
      if (entity === undefined) return NOTHING;
      return writtenOnRecord(command as RecordCommandWithMetadata, entity);
    }
  }
}

/** The entity whose record a command creates or updates, by the command's type. */
const RECORD_COMMANDS: ReadonlyMap<string, Entity> = new Map(
  uniqueEntities
    .filter((entity) => entity !== 'ledger') // Reserved in its organization.
    .flatMap((entity) => {
      const member = memberOf(entity);
      const name = member.charAt(0).toUpperCase() + member.slice(1);
      return [`Create${name}`, `Update${name}`].map((type) => [type, entity] as const);
    }),
);

type RecordCommandWithMetadata = Readonly<{
  fields?: WithMetadata;
  changes?: WithMetadata;
  id?: Uuid;
  accountId?: Uuid;
}>;

const writtenOnRecord = (
  { fields, changes, id, accountId }: RecordCommandWithMetadata,
  entity: Entity,
) => writtenOn(entity, fields ?? changes ?? {}, id ?? accountId);

const NOTHING: readonly MetadataWritten[] = [];

type WithMetadata = Readonly<{ metadata?: Readonly<Record<string, unknown>> | null | undefined }>;

function writtenOn(
  entity: Entity,
  { metadata }: WithMetadata,
  of?: Uuid,
): readonly MetadataWritten[] {
  if (metadata === undefined || metadata === null) return NOTHING;
  return [{ entity, metadata, of, location: 'metadata', event: 0 }];
}

function writtenIn(
  request: TransactionRequest,
  locations: RequestLocations,
  event = 0,
): readonly MetadataWritten[] {
  const { source, distribute } = request.send;
  if (request.metadata === undefined && noneOn(source.from) && noneOn(distribute.to)) {
    return NOTHING;
  }
  const legsOn = (side: Side, legs: readonly RequestedLeg[]) =>
    legs.map((leg, index) => ({ leg, location: { locations, side, index } }));
  const legs = [...legsOn('debit', source.from), ...legsOn('credit', distribute.to)];
  const written = [...writtenOn('transaction', request), ...writtenOnLegs(legs)];
  return written.map((one) => ({ ...one, event }));
}

const noneOn = (legs: readonly WithMetadata[]): boolean =>
  legs.every(({ metadata }) => metadata === undefined);

const writtenOnLegs = (
  legs: readonly Readonly<{ leg: WithMetadata; location?: LegLocation | undefined }>[],
): MetadataWritten[] =>
  legs.flatMap(({ leg, location }) =>
    writtenOn('operation', leg).map((written) =>
      location === undefined
        ? written
        : { ...written, location: legLocation(location, 'metadata') },
    ),
  );
