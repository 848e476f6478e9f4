import type { FeesCommand } from '#commands/fees/fees.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import type { JournalOf } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { PreparePart } from '#commands/ledger/cross-ledger/prepare-part.ts';
import type { FindPart } from '#commands/ledger/cross-ledger/find-part.ts';
import type { SettlePart } from '#commands/ledger/cross-ledger/settle-part.ts';
import type { ClaimMetadata } from '#commands/ledger/unique/claim.ts';
import type { SettingsCommand } from '#commands/settings/settings.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { OrganizationCommand } from '#commands/ledger/organization-commands.ts';
import type { StreamWish } from './stream-commands.ts';
import type { HolderWish } from './holder-commands.ts';
import type { Process } from './process.ts';

/** Steps of groups are taken by processes, not by clients. */
export type Command =
  | Exclude<LedgerCommand, PreparePart | SettlePart | FindPart | ClaimMetadata>
  | Exclude<OrganizationCommand, ClaimMetadata>
  | SettingsCommand
  | FeesCommand;

export type Kind =
  | 'organization'
  | 'ledger'
  | 'asset'
  | 'account'
  | 'account type'
  | 'allowance'
  | 'balance'
  | 'block'
  | 'closing'
  | 'transaction'
  | 'batch'
  | 'settlement'
  | 'reversal'
  | 'update'
  | 'index'
  | 'grant'
  | 'route'
  | 'package'
  | 'package change'
  | 'holder'
  | 'holder change'
  | 'subscription'
  | 'subscription change'
  | 'replay'
  | 'group'
  | 'group step';

/** What is done in several ledgers, or to all of a group. */
export type Across =
  | Readonly<{ type: 'PostGroup'; request: GroupRequest }>
  | Readonly<{ type: 'CancelGroup'; groupId: Uuid }>
  | Readonly<{ type: 'CommitGroup' | 'RevertGroup'; groupId: Uuid; exceptionId?: Uuid }>;

/** What a client wants, however often it has to ask. */
export type Request = {
  readonly n: number;
  readonly kind: Kind;
  readonly journal: JournalOf<Command, never>;
  /** Built anew for every attempt, as the route would. */
  readonly command: (process: Process) => Command;
  /** In place of a command. */
  readonly across?: Across;
  readonly holder?: HolderWish;
  readonly stream?: StreamWish;
  readonly tenantId: string;
  readonly key?: string | undefined;
  /** What the key stands for. */
  readonly hash: string;
  readonly ttlSeconds?: number | undefined;
  attempts: number;
  /** The first reply, byte for byte; every later one equals it. */
  reply?: string;
};

/** What there is to want, before anybody asks for it. */
export type CommandWish = Pick<
  Request,
  'kind' | 'journal' | 'command' | 'across' | 'holder' | 'stream'
>;

/** One asking of one process. */
export type Attempt = Readonly<{
  request: Request;
  requestId: string;
  process: Process;
  startedMs: number;
}>;
