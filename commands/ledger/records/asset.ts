import { externalAccount } from '#commands/ledger/account/account-opened.ts';
import { accountDeleted, accountImageRevisions } from '#commands/ledger/account/delete.ts';
import { isEmpty, type Account } from '#commands/ledger/state/book.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { needsBeforeImages } from '#src/kernel/before-image.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { isCurrencyCode } from '#src/kernel/iso-4217.ts';
import { assetRecord, type Asset } from './declared.ts';

export type AssetCommand = Readonly<{ organizationId: Uuid }> &
  Parameters<typeof assetRecord.decide>[1];

/** The deletion of an asset also records the deletion of its external account. */
export function needsAsset(ledger: Ledger, command: AssetCommand, facts: Facts): Needs | undefined {
  const asset = command.type === 'DeleteAsset' ? ledger.assets.get(command.id) : undefined;
  if (asset === undefined) return assetRecord.needs(ledger.assets, command, facts);
  return needsBeforeImages(
    facts,
    asset.revision,
    ...accountImageRevisions(externalOf(ledger, asset)),
  );
}

/**
 * Creates or deletes an asset together with its external account, which stands for everything outside the ledger. The
 * status of an asset does not restrict movements.
 */
export function decideAsset(
  ledger: Ledger,
  command: AssetCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<LedgerEvent> {
  const { id: ledgerId, organizationId, assets } = ledger;
  const decide = () =>
    assetRecord.decide(assets, command, facts, stamp, {
      organizationId,
      ledgerId,
    }) as readonly LedgerEvent[];

  if (command.type === 'CreateAsset') {
    const { type, code } = command.fields;
    checkCurrency(type, code);
    return [...decide(), externalAccount(ledger, code, stamp)];
  }
  const known = command.type === 'DeleteAsset' ? assets.get(command.id) : undefined;
  if (known === undefined) return decide();
  const account = externalOf(ledger, known);
  checkUnused(ledger, known, account);
  return [accountDeleted(account, facts, stamp.instant), ...decide()];
}

/** Errors: NOT_ISO_4217. */
function checkCurrency(type: string, code: string): void {
  if (!CURRENCIES.has(type) || isCurrencyCode(code)) return;
  throw refuse('NOT_ISO_4217', `${code} is not a currency code of ISO 4217.`, {
    findings: [{ location: 'code', message: 'is not in ISO 4217', value: code }],
  });
}

/** Checks that no other account holds the asset. Errors: BALANCE_BLOCKS_DELETION. */
function checkUnused({ book }: Ledger, { code }: Asset, account: Account): void {
  if (book.accountsHolding(code) > 1) {
    throw refuse('BALANCE_BLOCKS_DELETION', `Accounts of the ledger hold ${code}.`);
  }
  if (!account.balances.every(isEmpty)) {
    throw refuse('BALANCE_BLOCKS_DELETION', `The balance of ${account.alias} is not zero.`);
  }
}

/** The external account is protected, so it exists as long as the asset does. */
function externalOf({ book }: Ledger, { code }: Asset): Account {
  const account = book.account(externalAlias(code));
  if (account === undefined) throw new Error(`The asset ${code} has no external account`);
  return account;
}

const CURRENCIES: ReadonlySet<string> = new Set(['currency', 'fiat']);
