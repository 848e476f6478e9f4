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

/** Metadata that a command writes on one record. What the product copies from earlier words is not said again. */
export type Said = Readonly<{
  entity: Entity;
  /** A null removes its key. */
  metadata: Readonly<Record<string, unknown>>;
  /** The record that is changed; undefined for a new one. */
  of?: Uuid | undefined;
  /** The metadata's place in the request. */
  location: string;
  /** Which of the command's events records it. */
  event: number;
}>;

/** All commands that may say something of the metadata of a record. */
export type Saying = LedgerCommand | OrganizationCommand;

/** Nothing, for nearly every command: this stands on the path of all of them. */
export function saidBy(command: Saying): readonly Said[] {
  switch (command.type) {
    case 'PostTransaction':
      return saidIn(command.request, command.locations);
    case 'PostTransactions':
      return command.requests.flatMap((request, n) =>
        saidIn(request, command.locations, n).map((said) => {
          return { ...said, location: `${itemLocation(command.items, n)}.${said.location}` };
        }),
      );
    case 'CheckGroupPart':
    case 'PrepareGroupPart':
      return 'words' in command.part
        ? [...own('transaction', command.part.words), ...saidByLegs(command.part.postings)]
        : NOTHING;
    case 'UpdateTransaction':
      return own('transaction', command.changes, command.transactionId);
    case 'UpdateOperation':
      return own('operation', command.changes, command.operationId);
    case 'ReserveLedgerName':
      return own('ledger', command.ledger);
    case 'ReserveLedgerRename':
    case 'ReserveLedgerMetadata':
      return own('ledger', command.changes, command.ledgerId);
    case 'CreateAccount':
      return own('account', command.fields);
    case 'UpdateAccount':
      return own('account', command.changes, command.accountId);
    case 'CreateAsset':
      return own('asset', command.fields);
    case 'UpdateAsset':
      return own('asset', command.changes, command.assetId);
    case 'CreateSegment':
      return own('segment', command.fields);
    case 'UpdateSegment':
      return own('segment', command.changes, command.segmentId);
    case 'CreatePortfolio':
      return own('portfolio', command.fields);
    case 'UpdatePortfolio':
      return own('portfolio', command.changes, command.portfolioId);
    case 'CreateAccountType':
      return own('account_type', command.fields);
    case 'UpdateAccountType':
      return own('account_type', command.changes, command.accountTypeId);
    case 'CreateOperationRoute':
      return own('operation_route', command.fields);
    case 'UpdateOperationRoute':
      return own('operation_route', command.changes, command.operationRouteId);
    case 'CreateTransactionRoute':
      return own('transaction_route', command.fields);
    case 'UpdateTransactionRoute':
      return own('transaction_route', command.changes, command.transactionRouteId);
    default:
      return NOTHING;
  }
}

const NOTHING: readonly Said[] = [];

type Worded = Readonly<{ metadata?: Readonly<Record<string, unknown>> | null | undefined }>;

function own(entity: Entity, { metadata }: Worded, of?: Uuid): readonly Said[] {
  if (metadata === undefined || metadata === null) return NOTHING;
  return [{ entity, metadata, of, location: 'metadata', event: 0 }];
}

function saidIn(
  request: TransactionRequest,
  locations: RequestLocations,
  event = 0,
): readonly Said[] {
  const { source, distribute } = request.send;
  if (request.metadata === undefined && isSilent(source.from) && isSilent(distribute.to)) {
    return NOTHING;
  }
  const legsOn = (side: Side, legs: readonly RequestedLeg[]) =>
    legs.map((leg, index) => ({ leg, location: { locations, side, index } }));
  const legs = [...legsOn('debit', source.from), ...legsOn('credit', distribute.to)];
  const said = [...own('transaction', request), ...saidByLegs(legs)];
  return said.map((one) => ({ ...one, event }));
}

const isSilent = (legs: readonly Worded[]): boolean =>
  legs.every(({ metadata }) => metadata === undefined);

const saidByLegs = (
  legs: readonly Readonly<{ leg: Worded; location?: LegLocation | undefined }>[],
): Said[] =>
  legs.flatMap(({ leg, location }) =>
    own('operation', leg).map((said) =>
      location === undefined ? said : { ...said, location: legLocation(location, 'metadata') },
    ),
  );
