import { openAccount, openBank } from './bank.ts';
import type { ExampleApi, Identified } from './example-api.ts';

type Instrument = Identified & Readonly<{ relatedParties: readonly Identified[] }>;

/** Runs the customer registry in one of its forms. */
export async function exampleRegistry(api: ExampleApi, form: '' | 'V2' | 'ByPath'): Promise<void> {
  const { call, within } = api;
  await openBank(api);
  const { ledgerId } = await call<{ ledgerId: string }>('getAsset');
  if (form !== 'ByPath') await protection(api);
  const holder = await call('createHolder', { body: ALICE });
  within({ holder_id: holder.id });
  await call('getHolder');
  await call('updateHolder', { body: { contact: { primaryEmail: 'alice.souza@example.com' } } });
  await call('listHolders', { query: { limit: 1, sort_order: 'desc' } });

  const accountId = await openAccount(api, '@alice');
  const instrument = await call<Instrument>('createInstrument', {
    body: {
      ledgerId,
      accountId,
      bankingDetails: {
        branch: '0001',
        account: '123450',
        type: 'CACC',
        openingDate: '2026-01-05',
        countryCode: 'BR',
        bankId: '12345',
      },
      relatedParties: [
        {
          document: '987.654.321-00',
          name: 'Bruno Lima',
          role: 'LEGAL_REPRESENTATIVE',
          startDate: '2026-01-05',
        },
      ],
    },
  });
  within({ instrument_id: instrument.id, alias_id: instrument.id });
  await call('getInstrument');
  await call('updateInstrument', { body: { metadata: { channel: 'app' } } });
  await call('listInstruments', { query: { limit: 1 } });
  if (form === '') await call('listInstrumentsOfHolder', { query: { limit: 1 } });

  if (form !== 'ByPath') {
    await call('openHolderAccount', {
      body: {
        name: 'Alice Souza, savings',
        alias: '@alice-savings',
        assetCode: 'BRL',
        type: 'savings',
        bankingDetails: { branch: '0001', account: '123451' },
      },
    });
    await call('listHolderAccounts', { query: { limit: 1 } });
  }
  await erasure(api);
}

async function protection({ call }: ExampleApi): Promise<void> {
  await call('provisionEncryption', {
    body: { actor: 'carla.reis@example.com', reason: 'Onboarding of Andes Bank' },
  });
  await call('getEncryptionStatus');
  await call('listProtectionAudit', { query: { limit: 1 } });
}

async function erasure({ call, header }: ExampleApi): Promise<void> {
  const leaving = await call('createHolder', {
    body: { type: 'NATURAL_PERSON', name: 'Diego Prado', document: '111.222.333-44' },
  });
  const certificate = await header('x-erasure-certificate', 'deleteHolder', {
    path: { holder_id: leaving.id },
    query: { hard_delete: 'true' },
  });
  await call('getErasureCertificate', { path: { erasure_certificate_id: certificate } });
}

const ALICE = {
  externalId: 'customer-1001',
  type: 'NATURAL_PERSON',
  name: 'Alice Souza',
  document: '123.456.789-09',
  addresses: {
    primary: {
      line1: 'Rua Augusta 500',
      zipCode: '01304-000',
      city: 'São Paulo',
      state: 'SP',
      country: 'BR',
    },
  },
  contact: { primaryEmail: 'alice@example.com', mobilePhone: '+5511999990000' },
  naturalPerson: { favoriteName: 'Alice', birthDate: '1990-04-12', nationality: 'Brazilian' },
};
