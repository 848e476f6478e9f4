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
import type { Entity } from '#src/kernel/unique-values.ts';

/** Metadata that a command writes on one record; metadata that the product copies from an earlier record is not. */
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

/** All commands that may write metadata. */
export type MetadataCommand = LedgerCommand | OrganizationCommand;

/** Every command passes through here, and nearly all of them write no metadata: that case must cost nothing. */
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
            ...writtenOnLegs(command.part.postings),
          ]
        : NOTHING;
    case 'UpdateTransaction':
      return writtenOn('transaction', command.changes, command.transactionId);
    case 'UpdateOperation':
      return writtenOn('operation', command.changes, command.operationId);
    case 'ReserveLedgerName':
      return writtenOn('ledger', command.ledger);
    case 'ReserveLedgerRename':
    case 'ReserveLedgerMetadata':
      return writtenOn('ledger', command.changes, command.ledgerId);
    case 'CreateAccount':
      return writtenOn('account', command.fields);
    case 'UpdateAccount':
      return writtenOn('account', command.changes, command.accountId);
    case 'CreateAsset':
      return writtenOn('asset', command.fields);
    case 'UpdateAsset':
      return writtenOn('asset', command.changes, command.assetId);
    case 'CreateSegment':
      return writtenOn('segment', command.fields);
    case 'UpdateSegment':
      return writtenOn('segment', command.changes, command.segmentId);
    case 'CreatePortfolio':
      return writtenOn('portfolio', command.fields);
    case 'UpdatePortfolio':
      return writtenOn('portfolio', command.changes, command.portfolioId);
    case 'CreateAccountType':
      return writtenOn('account_type', command.fields);
    case 'UpdateAccountType':
      return writtenOn('account_type', command.changes, command.accountTypeId);
    case 'CreateOperationRoute':
      return writtenOn('operation_route', command.fields);
    case 'UpdateOperationRoute':
      return writtenOn('operation_route', command.changes, command.operationRouteId);
    case 'CreateTransactionRoute':
      return writtenOn('transaction_route', command.fields);
    case 'UpdateTransactionRoute':
      return writtenOn('transaction_route', command.changes, command.transactionRouteId);
    default:
      return NOTHING;
  }
}

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
