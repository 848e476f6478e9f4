import type { ExampleApi } from './example-api.ts';

/** The bank of all scenarios: an organization with one ledger, one asset, and accounts that hold it. */
export async function openBank(api: ExampleApi): Promise<void> {
  const { call, within } = api;
  const organization = await call('createOrganization', {
    body: {
      legalName: 'Andes Bank S.A.',
      doingBusinessAs: 'Andes Bank',
      legalDocument: '12.345.678/0001-90',
      address: {
        line1: 'Avenida Paulista 1000',
        zipCode: '01310-100',
        city: 'São Paulo',
        state: 'SP',
        country: 'BR',
      },
      metadata: { region: 'south' },
    },
  });
  within({ organization_id: organization.id });
  const ledger = await call('createLedger', {
    body: { name: 'Retail', metadata: { product: 'checking' } },
  });
  within({ ledger_id: ledger.id });
  const asset = await call('createAsset', {
    body: { name: 'Brazilian real', type: 'currency', code: 'BRL', metadata: { iso: '986' } },
  });
  within({ asset_id: asset.id, asset_code: 'BRL' });
}

/** Opens a deposit account and returns its id. */
export async function openAccount(
  { call }: ExampleApi,
  alias: string,
  more: object = {},
): Promise<string> {
  const body = { alias, assetCode: 'BRL', type: 'deposit', ...more };
  return (await call('createAccount', { body })).id;
}

/** Brings money into an account from outside the bank. */
export const fund = ({ call }: ExampleApi, alias: string, value: string): Promise<unknown> =>
  call('createTransactionInflow', {
    body: {
      description: 'Cash deposit',
      send: { asset: 'BRL', value, distribute: { to: [leg(alias, value)] } },
    },
  });

export const leg = (accountAlias: string, value: string) => ({
  accountAlias,
  amount: { asset: 'BRL', value },
});

/** A payment from one account to another. */
export const payment = (from: string, to: string, value: string, more: object = {}) => ({
  ...more,
  send: {
    asset: 'BRL',
    value,
    source: { from: [leg(from, value)] },
    distribute: { to: [leg(to, value)] },
  },
});
