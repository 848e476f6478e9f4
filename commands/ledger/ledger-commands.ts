import type { JournalOf } from '#src/kernel/decider.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { DeclaredRecordCommand } from '#commands/ledger/records/declared.ts';
import type { GrantBlockExceptions } from './account/block-exceptions.ts';
import type { CloseAccount } from './account/close.ts';
import type { CreateAccount } from './account/open-account.ts';
import type { DeleteAccount } from './account/delete.ts';
import type { UpdateAccount } from './account/update.ts';
import type { PutAssetRate } from '#commands/ledger/records/asset-rate.ts';
import type { AssetCommand } from '#commands/ledger/records/asset.ts';
import type { BalanceCommand } from './balance/change.ts';
import type { CreateBalance } from './balance/create.ts';
import type { FindPart } from '#commands/ledger/cross-ledger/find-part.ts';
import type { PreparePart } from '#commands/ledger/cross-ledger/prepare-part.ts';
import type { SettlePart } from '#commands/ledger/cross-ledger/settle-part.ts';
import type { CollectFeeDebts } from '#commands/ledger/fee-debts/collect.ts';
import type { LedgerRecordCommand } from '#commands/ledger/records/ledger-record.ts';
import type { ChangeLedgerSettings } from '#commands/ledger/records/ledger-settings.ts';
import type { RouteCommand } from './routing/decide.ts';
import type { TransactionCommand } from './transaction/commands.ts';
import type { ClaimMetadata } from './unique/claim.ts';

/** Commands include the organization in the path, because a ledger is not found below another one. */
export type LedgerCommand =
  | LedgerRecordCommand
  | ChangeLedgerSettings
  | AssetCommand
  | PutAssetRate
  | DeclaredRecordCommand
  | CreateAccount
  | UpdateAccount
  | CloseAccount
  | DeleteAccount
  | GrantBlockExceptions
  | CreateBalance
  | BalanceCommand
  | RouteCommand
  | TransactionCommand
  | CollectFeeDebts
  | PreparePart
  | SettlePart
  | FindPart
  | ClaimMetadata;

export type LedgerJournal = JournalOf<LedgerCommand, LedgerEvent>;
