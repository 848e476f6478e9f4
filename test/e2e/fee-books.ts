import type { Client } from '#test/support/client.ts';
import { createAccount, made, openBook, type Book } from './books.ts';

/** A package as clients see it. */
export type FeePackageBody = Readonly<{
  id: string;
  feeGroupLabel: string;
  description: string | null;
  ledgerId: string;
  segmentId: string | null;
  minimumAmount: string;
  maximumAmount: string;
  waivedAccounts: readonly string[] | null;
  enable: boolean;
  fees: Readonly<Record<string, Readonly<{ priority: number; routeTo?: string }>>>;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
}>;

export const R1 = '0190a1c0-0000-7000-8000-0000000000f1';
export const R2 = '0190a1c0-0000-7000-8000-0000000000f2';

export const flat = (value: string) => ({
  applicationRule: 'flatFee',
  calculations: [{ type: 'flat', value }],
});
export const percent = (value: string) => ({
  applicationRule: 'percentual',
  calculations: [{ type: 'percentage', value }],
});

/** A fee of 2 percent on top, to @fees. */
export const fee = (more: object = {}) => ({
  feeLabel: 'Admin',
  calculationModel: percent('2'),
  referenceAmount: 'originalAmount',
  priority: 1,
  isDeductibleFrom: false,
  creditAccount: '@fees',
  ...more,
});

/** A package of the header form, from 100 to 1000. */
export const packageOf = (ledgerId: string, more: object = {}) => ({
  feeGroupLabel: 'Pix',
  ledgerId,
  minimumAmount: '100',
  maximumAmount: '1000',
  enable: true,
  fees: { adm: fee() },
  ...more,
});

/** A ledger with accounts that pay, receive and earn fees. */
export async function openFeeBook(client: Client): Promise<Book> {
  const book = await openBook(client, { accounts: ['@shop', '@fees', '@tax'] });
  await createAccount(client, book.at, { alias: '@payer' });
  return book;
}

export const inOrganization = (org: string) => ({ 'X-Organization-Id': org });

export const createPackage = (client: Client, { org, ledger }: Book, more: object = {}) =>
  made<FeePackageBody>(client, '/v1/packages', packageOf(ledger, more), inOrganization(org));
