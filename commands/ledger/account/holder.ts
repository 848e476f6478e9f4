import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Facts, Needs } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import { isLiveHolder, needsRegistry } from './holder-lookup.ts';
import { EXTERNAL } from './account-opened.ts';

type AccountOwner = Pick<AccountRecord, 'holderId' | 'holderCheckSkipped'>;
type HolderChoice = Readonly<{ type: string; holderId?: Uuid | undefined; skipHolder: boolean }>;

/**
 * Chooses the owner of a new account: the holder that the request names, or else the organization's own, unless the
 * ledger requires one to be named. A request that skips the check names no owner. External accounts have no holder.
 * Errors: SKIP_NOT_PERMITTED, HOLDER_NOT_FOUND, HOLDER_REQUIRED.
 */
export function holderOf(
  ledger: Ledger,
  { type, holderId, skipHolder }: HolderChoice,
  facts: Facts,
): AccountOwner {
  const { accounting, overrides } = ledger.settings;
  if (skipHolder && !overrides.allowHolderSkip) throw skipNotPermitted();
  const external = type === EXTERNAL;
  if (holderId !== undefined) {
    if (external) throw holderOfNobody(holderId);
    if (!isLiveHolder(ledger, holderId, facts)) throw holderNotFound(holderId);
    return { holderId, holderCheckSkipped: false };
  }
  if (external) return { holderId: null, holderCheckSkipped: false };
  if (!accounting.requireHolder) return { holderId: ledger.holderId, holderCheckSkipped: false };
  if (!skipHolder) throw holderRequired();
  return { holderId: null, holderCheckSkipped: true };
}

/** Looks nothing up unless a holder is named. */
export const needsHolder = (
  ledger: Ledger,
  { type, holderId }: HolderChoice,
  facts: Facts,
): Needs | undefined =>
  holderId === undefined || type === EXTERNAL ? undefined : needsRegistry(ledger, holderId, facts);

const skipNotPermitted = () =>
  refuse('SKIP_NOT_PERMITTED', 'The ledger does not allow the holder check to be skipped.', {
    findings: [{ location: 'skip.holder', message: 'is not permitted', value: true }],
  });

const holderNotFound = (holderId: Uuid) =>
  refuse('HOLDER_NOT_FOUND', `The organization has no holder ${holderId}.`, {
    findings: [{ location: 'holderId', message: 'names no holder', value: holderId }],
  });

const holderOfNobody = (holderId: Uuid) =>
  refuse('HOLDER_NOT_FOUND', 'An external account is the world outside, which has no holder.', {
    findings: [{ location: 'holderId', message: 'cannot be that of the world', value: holderId }],
  });

const holderRequired = () =>
  refuse('HOLDER_REQUIRED', 'Accounts of this ledger name their holder.', {
    findings: [{ location: 'holderId', message: 'is required here' }],
  });
