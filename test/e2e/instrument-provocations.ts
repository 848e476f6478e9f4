import type { Client } from '#test/support/client.ts';
import { createAccount, made, NOBODY, type Book } from './books.ts';
import type { Changes, Stage } from './provocations.ts';

const party = { document: 'D', name: 'N', role: 'PRIMARY_HOLDER', startDate: '2026-01-05' };

/** An instrument with a related party, of the staged holder; and one that was erased. */
export async function stageInstruments(
  client: Client,
  { org, at, ledger }: Book,
  holder = '',
): Promise<Stage> {
  const below = `/v2/organizations/${org}/holders/${holder}/instruments`;
  const create = async (alias: string, key: string) => {
    const { id: accountId } = await createAccount(client, at, { alias });
    const body = { ledgerId: ledger, accountId, relatedParties: [party] };
    const headers = { 'X-Idempotency': key };
    return made<Instrument>(client, below, body, headers);
  };
  const erased = await create('@erased', 'of-the-erased-instrument');
  await client.delete(`${below}/${erased.id}?hard_delete=true`);
  const staged = await create('@linked', 'of-an-instrument');
  const [related] = staged.relatedParties;
  return {
    ...{ instrument_id: staged.id, alias_id: staged.id, related_party_id: related?.id ?? '' },
    'the linked account': staged.accountId,
    'the unlinked account': (await createAccount(client, at, { alias: '@unlinked' })).id,
  };
}

type Instrument = Readonly<{
  id: string;
  accountId: string;
  relatedParties: readonly Readonly<{ id: string }>[];
}>;

export const instrumentBodies: Readonly<Record<string, object>> = {
  createInstrument: { ledgerId: 'the ledger', accountId: 'the unlinked account' },
};

const withParty = (members: object) => ({ relatedParties: [{ ...party, ...members }] });

/** The rules that creations and updates have in common. */
const rules = {
  CLOSED_BEFORE_CREATED: { bankingDetails: { closingDate: '2020-01-01' } },
  RELATED_PARTY_ROLE: withParty({ role: 'FRIEND' }),
  RELATED_PARTY_DOCUMENT: withParty({ document: undefined }),
  RELATED_PARTY_NAME: withParty({ name: undefined }),
  RELATED_PARTY_START: withParty({ startDate: undefined }),
  RELATED_PARTY_END: withParty({ endDate: '2020-01-01' }),
} satisfies Readonly<Record<string, Changes>>;

export const instrumentProvocations: Readonly<Record<string, Readonly<Record<string, Changes>>>> = {
  createInstrument: {
    ...rules,
    MALFORMED_FIELD: { ledgerId: 'x' },
    INSTRUMENT_NOT_FOUND: { headers: { 'X-Idempotency': 'of-the-erased-instrument' } },
    INSTRUMENT_LEDGER_NOT_FOUND: { ledgerId: NOBODY },
    INSTRUMENT_ACCOUNT_NOT_FOUND: { accountId: NOBODY },
    ACCOUNT_LINKED: { accountId: 'the linked account' },
    IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
  },
  updateInstrument: rules,
  deleteHolder: {
    OWN_HOLDER: { at: { holder_id: 'the own holder' } },
    HOLDER_HAS_INSTRUMENTS: {},
    HOLDER_OWNS_ACCOUNTS: { at: { holder_id: 'the owner' } },
  },
  deleteRelatedParty: { INSTRUMENT_NOT_FOUND: { at: { alias_id: NOBODY } } },
};
