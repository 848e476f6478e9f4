import { beforeImage } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Account } from '#commands/ledger/state/book.ts';
import type { Decision, Facts, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import {
  ifChanged,
  mergedMetadata,
  patched,
  patchedStatus,
  type MetadataChanges,
  type StatusChanges,
} from '#src/kernel/patch.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { checkPortfolioAndSegment } from './references.ts';

/** An absent member stays as it is, null clears it, and metadata is merged. */
export type UpdateAccount = Readonly<{
  type: 'UpdateAccount';
  organizationId: Uuid;
  accountId: Uuid;
  changes: Readonly<{
    name?: string | undefined;
    status?: StatusChanges | undefined;
    blocked?: boolean | undefined;
    entityId?: string | null | undefined;
    portfolioId?: Uuid | null | undefined;
    segmentId?: Uuid | null | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

/** `blocked` applies from the next movement on; the status code affects none. */
export function updateAccount(
  ledger: Ledger,
  { accountId, changes }: UpdateAccount,
  facts: Facts,
  { instant }: Stamp,
): Decision<LedgerEvent> {
  const known = editableAccount(ledger, accountId);
  const before = beforeImage('account', known.revision, facts);
  checkPortfolioAndSegment(ledger, changes, before);
  const { name, status, blocked, entityId, portfolioId, segmentId, metadata } = changes;
  const patch = {
    ...(name !== undefined && { name }),
    status: patchedStatus(before.status, status),
    ...(blocked !== undefined && { blocked }),
    ...(entityId !== undefined && { entityId: entityId ?? undefined }),
    ...(portfolioId !== undefined && { portfolioId: portfolioId ?? undefined }),
    ...(segmentId !== undefined && { segmentId: segmentId ?? undefined }),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record: account, changed } = patched<AccountRecord>(before, patch, instant);
  checkRecordSize(account, known.balances.length - 1);
  return ifChanged({ type: 'AccountUpdated', data: { account, changed } });
}

/** Finds an account that clients may change. Errors: NOT_FOUND, EXTERNAL_PROTECTED. */
export function editableAccount({ book }: Ledger, id: Uuid): Account {
  const account = book.accountById(id);
  if (account === undefined) throw refuse('NOT_FOUND', 'There is no such account.');
  if (account.external) {
    throw refuse('EXTERNAL_PROTECTED', `${account.alias} stands for the world outside.`);
  }
  return account;
}
