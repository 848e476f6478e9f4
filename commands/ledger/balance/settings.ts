import { formatAmount, parseAmount, readAmount, ZERO } from '#src/kernel/amount.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { find, OVERDRAFT_KEY, type Account, type Balance } from '#commands/ledger/state/book.ts';
import type { BalanceRecord, BalanceSettings } from '#src/events/ledger/account.ts';

/** The settings in a request; the limit may be a decimal of any form. */
export type SentSettings = Readonly<{
  allowOverdraft?: boolean | undefined;
  overdraftLimitEnabled?: boolean | undefined;
  overdraftLimit?: string | undefined;
}>;

/** Completes settings with defaults; they replace the ones before as a whole. Errors: BALANCE_SETTINGS. */
export function settingsOf(sent: SentSettings): BalanceSettings {
  const { allowOverdraft = false, overdraftLimitEnabled = false, overdraftLimit } = sent;
  const limit = overdraftLimit === undefined ? undefined : readAmount(overdraftLimit);
  if (typeof limit === 'string') throw new Error(`A limit was not validated: ${limit}`);
  const settings = {
    balanceScope: 'transactional',
    allowOverdraft,
    overdraftLimitEnabled,
  } as const;
  if (!overdraftLimitEnabled) {
    if (limit === undefined) return settings;
    throw contradictory('A limit that is not enabled is left out.', 'is not enabled', sent);
  }
  if (limit === undefined || limit <= ZERO) {
    const what = limit === undefined ? 'is required' : 'must be greater than zero';
    throw contradictory('An enabled limit needs a number above zero.', what, sent);
  }
  return { ...settings, overdraftLimit: formatAmount(limit) };
}

/** Checks that the debt so far is within the new settings. Errors: LIMIT_BELOW_USAGE. */
export function checkUsage(
  { alias }: Account,
  { key, overdraftUsed }: Balance,
  { allowOverdraft, overdraftLimit }: BalanceSettings,
): void {
  const within = overdraftLimit === undefined || overdraftUsed <= parseAmount(overdraftLimit);
  if (overdraftUsed === ZERO || (allowOverdraft && within)) return;
  const finding = allowOverdraft
    ? { location: 'settings.overdraftLimit', message: 'is less than what is in use' }
    : { location: 'settings.allowOverdraft', message: 'cannot end while overdraft is in use' };
  throw refuse(
    'LIMIT_BELOW_USAGE',
    `${alias}#${key} has drawn ${formatAmount(overdraftUsed)} of its overdraft.`,
    { findings: [finding] },
  );
}

/**
 * Returns true if the account needs its companion balance now, because the first of its balances may overdraw. A closed
 * account cannot get another balance. Errors: EXTERNAL_BALANCES, ACCOUNT_CLOSED.
 */
export function opensCompanion(account: Account, settings: BalanceSettings | undefined): boolean {
  if (settings?.allowOverdraft !== true) return false;
  if (account.external) {
    throw refuse('EXTERNAL_BALANCES', `${account.alias} has one balance, which may owe anyhow.`);
  }
  if (find(account, OVERDRAFT_KEY) !== undefined) return false;
  if (account.closed) throw refuse('ACCOUNT_CLOSED', `${account.alias} is closed.`);
  return true;
}

/** Creates the companion balance, which shows what the account owes. */
export const companion = (
  { settings: _, ...of }: BalanceRecord,
  ordinal: number,
  instant: Instant,
): BalanceRecord => ({
  ...of,
  id: partId(of.accountId, ordinal),
  key: OVERDRAFT_KEY,
  allowSending: true,
  allowReceiving: true,
  direction: 'debit',
  settings: { balanceScope: 'internal', allowOverdraft: false, overdraftLimitEnabled: false },
  createdAt: instant,
  updatedAt: instant,
  deletedAt: null,
});

const contradictory = (detail: string, message: string, sent: SentSettings): Refusal =>
  refuse('BALANCE_SETTINGS', detail, {
    findings: [
      {
        location: 'settings.overdraftLimit',
        message,
        ...(sent.overdraftLimit !== undefined && { value: sent.overdraftLimit }),
      },
    ],
  });
