import type { JournalOf } from '#src/domain/decider.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';
import type { AccountTypeCommand } from './account-type.ts';
import type { GrantBlockExceptions } from './account/block-exceptions.ts';
import type { CloseAccount } from './account/close.ts';
import type { CreateAccount } from './account/decider.ts';
import type { DeleteAccount } from './account/delete.ts';
import type { UpdateAccount } from './account/update.ts';
import type { PutAssetRate } from './asset-rate.ts';
import type { AssetCommand } from './asset.ts';
import type { BalanceCommand } from './balance/change.ts';
import type { CreateBalance } from './balance/create.ts';
import type { FindPart } from './group/find-part.ts';
import type { PreparePart } from './group/prepare-part.ts';
import type { SettlePart } from './group/settle-part.ts';
import type { LedgerRecordCommand } from './ledger-record.ts';
import type { ChangeLedgerSettings } from './ledger-settings.ts';
import type { PortfolioCommand } from './portfolio.ts';
import type { RouteCommand } from './routing/decide.ts';
import type { SegmentCommand } from './segment.ts';
import type { TransactionCommand } from './transaction/commands.ts';
import type { ClaimMetadata } from './unique/claim.ts';

/** The organization in the path comes along: a ledger is not found below another one. */
export type LedgerCommand =
  | LedgerRecordCommand
  | ChangeLedgerSettings
  | AssetCommand
  | PutAssetRate
  | SegmentCommand
  | PortfolioCommand
  | AccountTypeCommand
  | CreateAccount
  | UpdateAccount
  | CloseAccount
  | DeleteAccount
  | GrantBlockExceptions
  | CreateBalance
  | BalanceCommand
  | RouteCommand
  | TransactionCommand
  | PreparePart
  | SettlePart
  | FindPart
  | ClaimMetadata;

export type LedgerJournal = JournalOf<LedgerCommand, LedgerEvent>;
