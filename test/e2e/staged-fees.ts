import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import { createAccount, made, type Book } from './books.ts';
import { fee, flat, percent } from './fee-books.ts';

/** Transactions with this metadata, and no others, have fees that refuse them. */
export const refusedByFees = {
  FEE_PACKAGES_AMBIGUOUS: { metadata: { fees: 'ambiguous', one: 'x', other: 'x' } },
  FEE_NOT_COMPUTABLE: { metadata: { fees: 'not-computable' } },
  FEE_DEDUCTION_TOO_LARGE: { metadata: { fees: 'too-large' } },
  FEE_CREDIT_ACCOUNT_NOT_FOUND: { metadata: { fees: 'to-nobody' } },
};

export async function stageRefusedByFees(client: Client, { org, ledger, at }: Book): Promise<void> {
  const gone = await createAccount(client, at, { alias: '@gone' });
  await createAccount(client, at, { alias: '@collector' });
  const create = (metadataSelector: object, ...fees: readonly object[]) =>
    made(client, `/v2/organizations/${org}/ledgers/${ledger}/packages`, {
      feeGroupLabel: 'Refused',
      ...{ minimumAmount: '0.1', maximumAmount: '1000', enable: true, metadataSelector },
      fees: Object.fromEntries(
        fees.map((one, n) => [
          `p${n}`,
          fee({ creditAccount: '@collector', priority: n + 1, ...one }),
        ]),
      ),
    });
  const deductible = (percentage: string) => ({
    ...{ isDeductibleFrom: true, calculationModel: percent(percentage) },
  });
  await create({ fees: 'ambiguous', one: 'x' }, {});
  await create({ fees: 'ambiguous', other: 'x' }, {});
  await create(
    { fees: 'not-computable' },
    { calculationModel: flat('0.00001') },
    {
      calculationModel: percent('0.000000000000000000000000000001'),
      referenceAmount: 'afterFeesAmount',
    },
  );
  await create({ fees: 'too-large' }, deductible('60'), deductible('50'));
  await create({ fees: 'to-nobody' }, { creditAccount: '@gone' });
  const deleted = await client.delete(`${at}/accounts/${gone.id}`);
  expect(deleted.status, deleted.text).to.equal(204);
}
