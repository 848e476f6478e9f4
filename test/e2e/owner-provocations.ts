import type { Client } from '#test/support/client.ts';
import { createAccount, made, NOBODY, type Book } from './books.ts';
import type { Changes, Stage } from './provocations.ts';

/** A holder that owns an account. */
export async function stageOwners(client: Client, { org, at }: Book): Promise<Stage> {
  const person = { type: 'NATURAL_PERSON', name: 'Owner', document: 'owner' };
  const owner = await made<{ id: string }>(client, `/v2/organizations/${org}/holders`, person);
  await createAccount(client, at, { alias: '@owned', holderId: owner.id });
  const opening = `${at}/holders/${owner.id}/accounts`;
  await made(client, opening, ownerBodies['openHolderAccount'], { 'X-Idempotency': 'of-an-owner' });
  return { 'the owner': owner.id };
}

export const ownerBodies: Readonly<Record<string, object>> = {
  openHolderAccount: { assetCode: 'BRL', type: 'deposit' },
};

export const ownerProvocations: Readonly<Record<string, Readonly<Record<string, Changes>>>> = {
  listHolderAccounts: { HOLDER_NOT_FOUND: { at: { holder_id: NOBODY } } },
  openHolderAccount: {
    MALFORMED_FIELD: { name: 'n'.repeat(257) },
    ACCOUNT_TYPE_UNKNOWN: { at: { ledger_id: 'the strict ledger' } },
    ASSET_NOT_FOUND: { assetCode: 'NONE' },
    PORTFOLIO_NOT_FOUND: { portfolioId: NOBODY },
    SEGMENT_NOT_FOUND: { segmentId: NOBODY },
    PARENT_ACCOUNT_INVALID: { parentAccountId: NOBODY },
    PARENT_ACCOUNT_ASSET: { alias: '@child', parentAccountId: 'the account in USD' },
    HOLDER_NOT_FOUND: { at: { holder_id: NOBODY } },
    SKIP_NOT_PERMITTED: { skip: { holder: true } },
    ALIAS_TAKEN: { alias: '@alice' },
    ALIAS_INVALID: { alias: 'a b' },
    RELATED_PARTY_ROLE: { relatedParties: [{ role: 'FRIEND' }] },
    IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'of-an-owner' }, name: 'Another' },
  },
};
