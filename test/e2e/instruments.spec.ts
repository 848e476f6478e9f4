import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { createAccount, made, openBook, type Book, type List } from './books.ts';
import { filesWith } from './files-with.ts';
import { expectProblem } from './problems.ts';

type Instrument = Readonly<{ id: string; relatedParties: readonly Party[] }> &
  Readonly<Record<string, unknown>>;

const bankingDetails = {
  branch: '0001',
  account: '123450',
  type: 'CACC',
  openingDate: '2026-01-05',
  iban: 'BR1800360305000010009795493C1',
  countryCode: 'BR',
  bankId: '12345',
};
const rita = {
  document: 'D-rita',
  name: 'Rita Lima',
  role: 'LEGAL_REPRESENTATIVE',
  startDate: '2026-01-05',
};
const details = {
  bankingDetails,
  regulatoryFields: { participantDocument: 'P-1' },
  relatedParties: [rita],
  metadata: { tier: 'gold' },
};

/** Accounts of holders, which version 1 by header calls alias accounts. */
describe('instruments', function () {
  this.timeout(120_000);

  let server: Server;
  let book: Book;
  const client = clientOf(() => server);
  before(async () => {
    server = await startServer();
    book = await openBook(client, { assets: ['BRL'] });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  let people = 0;
  const newHolder = async (): Promise<string> => {
    people += 1;
    const body = { type: 'NATURAL_PERSON', name: 'Ana Lima', document: `doc-${people}` };
    return (await made<{ id: string }>(client, `/v2/organizations/${book.org}/holders`, body)).id;
  };
  const newAccount = async (): Promise<string> => (await createAccount(client, book.at)).id;
  const link = (accountId: string) => ({ ledgerId: book.ledger, accountId });

  /** The forms in which instruments are served, and their name there. */
  const mounts = {
    'by header': { prefix: () => '/v1', named: 'aliases', isByHeader: true },
    'by path': { prefix: () => `/v2/organizations/${book.org}`, named: 'instruments' },
    'by path below version 1': {
      prefix: () => `/v1/organizations/${book.org}`,
      named: 'instruments',
    },
  } as const;
  type MountName = keyof typeof mounts;
  const all = Object.keys(mounts) as MountName[];

  const at = (mount: MountName) => {
    const { prefix, named } = mounts[mount];
    const headers: Record<string, string> =
      mount === 'by header' ? { 'X-Organization-Id': book.org } : {};
    const of = (holder: string, rest = '') => `${prefix()}/holders/${holder}/${named}${rest}`;
    const json = { 'Content-Type': 'application/json', ...headers };
    return {
      of,
      post: (holder: string, body: unknown, more = {}) =>
        client.post(of(holder), body, { ...headers, ...more }),
      get: (path: string) => client.get(path, headers),
      list: async (query: string) =>
        (
          (await client.get(`${prefix()}/${named}?${query}`, headers)).json() as List<Instrument>
        ).items.map(({ id }) => id),
      search: (query: string) => client.get(`${prefix()}/${named}?${query}`, headers),
      patch: (path: string, body: object) =>
        client.send({ method: 'PATCH', path, headers: json, body: JSON.stringify(body) }),
      delete: (path: string) => client.send({ method: 'DELETE', path, headers }),
    };
  };

  /** A value by which the instrument is found, and one by which it is not. */
  const valuesOf = (filter: string, holder: string): readonly [string, string] => {
    const nobody = '0190a1c0-0000-7000-8000-000000000001';
    const values: Readonly<Record<string, readonly [string, string]>> = {
      holder_id: [holder, nobody],
      ledger_id: [book.ledger, nobody],
      document: [`doc-${people}`, 'doc-0'],
      banking_details_branch: ['0001', '0002'],
      banking_details_account: ['123450', '123451'],
      banking_details_iban: [bankingDetails.iban, 'x'],
      regulatory_fields_participant_document: ['P-1', 'p-1'],
      related_party_document: ['D-rita', 'D'],
      related_party_role: ['LEGAL_REPRESENTATIVE', 'PRIMARY_HOLDER'],
      'metadata.tier': ['gold', 'silver'],
    };
    return values[filter]!;
  };

  for (const mount of all) {
    describe(mount, () => {
      it('are created, retrieved, changed, deleted and erased', async () => {
        const api = at(mount);
        const holder = await newHolder();
        const account = await newAccount();
        const answer = await api.post(holder, { ...link(account), ...details });
        expect(answer.status, answer.text).to.equal(201);
        const instrument = answer.json() as Instrument;
        expect(Object.keys(instrument)).to.deep.equal([
          ...['id', 'document', 'type', 'ledgerId', 'accountId', 'holderId', 'metadata'],
          ...['bankingDetails', 'regulatoryFields', 'relatedParties'],
          ...['createdAt', 'updatedAt', 'deletedAt'],
        ]);
        const [party] = instrument.relatedParties;
        expect(instrument).to.deep.include({
          ...details,
          ...link(account),
          relatedParties: [{ id: party?.id, ...rita }],
          document: `doc-${people}`,
          type: 'NATURAL_PERSON',
          holderId: holder,
          deletedAt: null,
        });
        const one = api.of(holder, `/${instrument.id}`);
        expect((await api.get(one)).text).to.equal(answer.text);

        const ofThis = `account_id=${account}`;
        const end = party?.id ?? '';
        for (const filter of [
          ...['holder_id', 'banking_details_branch', 'banking_details_account'],
          ...['banking_details_iban', 'related_party_role', 'related_party_document'],
          ...['regulatory_fields_participant_document', 'document', 'ledger_id', 'metadata.tier'],
        ] as const) {
          const [known, unknown] = valuesOf(filter, holder);
          expect(await api.list(`${ofThis}&${filter}=${known}`), filter).to.deep.equal([
            instrument.id,
          ]);
          expect(await api.list(`${ofThis}&${filter}=${unknown}`), filter).to.deep.equal([]);
        }

        const changed = await api.patch(one, {
          bankingDetails: { account: '99', iban: null, closingDate: '2999-12-31T10:00:00Z' },
          relatedParties: [
            { ...rita, document: 'D-2', role: 'PRIMARY_HOLDER', endDate: '2027-01-01' },
          ],
          metadata: { tier: null, vip: true },
        });
        expect(changed.status, changed.text).to.equal(200);
        const after = changed.json() as Instrument;
        const { iban: _, ...left } = bankingDetails;
        expect(after['bankingDetails']).to.deep.equal({
          ...left,
          account: '99',
          closingDate: '2999-12-31',
        });
        expect(after['metadata']).to.deep.equal({ vip: true });
        expect(
          after.relatedParties.map(({ document, endDate }) => [document, endDate]),
        ).to.deep.equal([
          ['D-rita', undefined],
          ['D-2', '2027-01-01'],
        ]);
        expect((await api.get(one)).text).to.equal(changed.text);
        expect(await api.list(`${ofThis}&banking_details_account=99`)).to.have.length(1);
        expect(await api.list(`${ofThis}&banking_details_account=123450`)).to.deep.equal([]);
        expect(await api.list(`${ofThis}&related_party_document=D-2`)).to.have.length(1);
        const again = await api.patch(one, { bankingDetails: { account: '99' }, metadata: {} });
        expect(again.text).to.equal(changed.text);

        expect((await api.delete(`${one}/related-parties/${end}`)).status).to.equal(204);
        expectProblem(await api.delete(`${one}/related-parties/${end}`), 404, 'CRM-0024');
        expect(await api.list(`${ofThis}&related_party_document=D-rita`)).to.deep.equal([]);
        expect(((await api.get(one)).json() as Instrument).relatedParties).to.have.length(1);

        const of =
          mount === 'by header'
            ? `/v1/holders/${holder}`
            : api.of(holder).replace('/instruments', '');
        const busy = mount === 'by header' ? 400 : 422;
        expectProblem(await api.delete(of), busy, 'CRM-0017');
        expectProblem(await api.delete(`${of}?hard_delete=true`), busy, 'CRM-0017');
        expectProblem(await api.post(holder, link(account)), 409, 'CRM-0013');

        expect((await api.delete(one)).status).to.equal(204);
        expectProblem(await api.delete(one), 404, 'CRM-0008');
        expectProblem(await api.get(one), 404, 'CRM-0008');
        expectProblem(await api.patch(one, {}), 404, 'CRM-0008');
        expect(await api.list(ofThis)).to.deep.equal([]);
        expect(await api.list(`${ofThis}&include_deleted=TRUE`)).to.deep.equal([instrument.id]);
        const gone = await api.get(`${one}?include_deleted=true`);
        expect((gone.json() as Instrument)['deletedAt']).to.be.a('string');

        const next = (await api.post(holder, link(account))).json() as Instrument;
        expect(Object.keys(next)).not.to.include.members(['bankingDetails', 'relatedParties']);
        const erased = await api.delete(`${one}?hard_delete=true`);
        expect(erased.status, erased.text).to.equal(204);
        const certificate = await api.get(
          `${of.slice(0, of.indexOf('/holders'))}/erasure-certificates/${String(erased.headers['x-erasure-certificate'])}`,
        );
        expect(certificate.json()).to.deep.include({
          entityType: 'Instrument',
          entityId: instrument.id,
          keyId: instrument.id,
        });
        expectProblem(await api.get(`${one}?include_deleted=true`), 404, 'CRM-0008');
        expect(await api.list(`${ofThis}&include_deleted=true`)).to.deep.equal([next.id]);

        expect((await api.delete(api.of(holder, `/${next.id}`))).status).to.equal(204);
        expect((await api.delete(`${of}?hard_delete=true`)).status).to.equal(204);
        expect(await api.list(`${ofThis}&include_deleted=true`)).to.deep.equal([]);
        expectProblem(await api.post(holder, link(account)), 404, 'CRM-0006');
      });

      it('are created once under a key, and not again after their erasure', async () => {
        const api = at(mount);
        const holder = await newHolder();
        const body = { ...link(await newAccount()), ...details };
        const keyed = { 'X-Idempotency': `key-${holder}` };
        const first = await api.post(holder, body, keyed);
        expect(first.status, first.text).to.equal(201);
        const { id } = first.json() as Instrument;
        const replay = await api.post(holder, body, keyed);
        expect(replay.text).to.equal(first.text);
        expect(replay.headers['x-idempotency-replayed']).to.equal('true');
        const other = { ...body, metadata: { tier: 'silver' } };
        expectProblem(await api.post(holder, other, keyed), 409, 'LDG-0084');
        const one = api.of(holder, `/${id}?hard_delete=true`);
        expect((await api.delete(one)).status).to.equal(204);
        expectProblem(await api.post(holder, body, keyed), 404, 'CRM-0008');
      });

      it('refer to a holder, a ledger and an account that exist', async () => {
        const api = at(mount);
        const holder = await newHolder();
        const account = await newAccount();
        const nobody = '0190a1c0-0000-7000-8000-000000000001';
        const [status, ledgerCode, accountCode, legacyCodes] = lost[mount];
        expectProblem(await api.post(nobody, link(account)), 404, 'CRM-0006');
        const noLedger = await api.post(holder, { ...link(account), ledgerId: nobody });
        expectProblem(noLedger, status, ledgerCode);
        const noAccount = await api.post(holder, link(nobody));
        expectProblem(noAccount, status, accountCode);
        for (const [n, answer] of [noLedger, noAccount].entries()) {
          const problem = answer.json() as Problem;
          expect(problem.legacyCode).to.equal(legacyCodes[n]);
          expect(problem.errors[0]?.location).to.equal(['ledgerId', 'accountId'][n]);
        }
      });

      it('clear their metadata by null only where version 1 does', async () => {
        const api = at(mount);
        const holder = await newHolder();
        const { id } = (
          await api.post(holder, { ...link(await newAccount()), ...details })
        ).json() as Instrument;
        const answer = await api.patch(api.of(holder, `/${id}`), { metadata: null });
        const { metadata } = answer.json() as Record<string, unknown>;
        expect(metadata).to.deep.equal(mount === 'by path' ? details.metadata : undefined);
      });
    });
  }

  it('refuse what is not as described, in the words of the registry', async () => {
    const api = at('by path');
    const holder = await newHolder();
    const account = await newAccount();
    const party = (members: object) => ({ relatedParties: [{ ...rita, ...members }] });
    const refused: readonly (readonly [string, object])[] = [
      ['CRM-0003', { ledgerId: undefined }],
      ['CRM-0004', { accountId: 'x' }],
      ['CRM-0004', { ledgerId: 1 }],
      ['CRM-0004', { bankingDetails: { branch: 'x'.repeat(51) } }],
      ['CRM-0004', { bankingDetails: { openingDate: '2026-02-30' } }],
      ['CRM-0004', { relatedParties: {} }],
      ['CRM-0004', party({ document: 1 })],
      ['CRM-0007', { document: 'x' }],
      ['CRM-0007', party({ id: account })],
      ['CRM-0023', { bankingDetails: { closingDate: '2020-01-01' } }],
      ['CRM-0025', party({ role: 'FRIEND' })],
      ['CRM-0025', party({ role: undefined })],
      ['CRM-0026', party({ document: '' })],
      ['CRM-0027', party({ name: null })],
      ['CRM-0028', party({ startDate: undefined })],
      ['CRM-0029', party({ endDate: '2026-01-04' })],
      ['CRM-0001', { metadata: { a: {} } }],
    ];
    for (const [code, members] of refused) {
      expectProblem(await api.post(holder, { ...link(account), ...members }), 400, code);
    }
    const { id } = (await api.post(holder, link(account))).json() as Instrument;
    const one = api.of(holder, `/${id}`);
    for (const [code, members] of [
      ...refused.slice(3).filter(([, members]) => !('accountId' in members)),
      ['CRM-0007', { accountId: account }] as const,
    ]) {
      expectProblem(await api.patch(one, members), 400, code);
    }
    const other = api.of(await newHolder(), `/${id}`);
    expectProblem(await api.get(other), 404, 'CRM-0008');
    expectProblem(await api.delete(other), 404, 'CRM-0008');
    for (const query of ['holder_id=x', 'related_party_role=FRIEND', 'page=0', 'end_date=x']) {
      expectProblem(await api.search(query), 400, 'CRM-0016');
    }
    expectProblem(await api.search('metadata.a=1&metadata.b=2'), 400, 'CRM-0019');
    expectProblem(await api.get(api.of(holder, '/x')), 400, 'CRM-0005');
    expectProblem(await at('by header').get(at('by header').of(holder, '/x')), 400, 'CRM-0005');
  });

  it('have a deprecated list by holder in version 1, which names its successor', async () => {
    const api = at('by header');
    const holder = await newHolder();
    const { id } = (await api.post(holder, link(await newAccount()))).json() as Instrument;
    const answer = await api.get(api.of(holder));
    expect((answer.json() as List<Instrument>).items.map((one) => one.id)).to.deep.equal([id]);
    expect(answer.text).to.equal((await api.search(`holder_id=${holder}`)).text);
    expect(answer.headers['deprecation']).to.equal('true');
    expect(answer.headers['link']).to.equal('</v1/aliases>; rel="successor-version"');
    const nobody = '0190a1c0-0000-7000-8000-000000000001';
    expectProblem(await api.get(api.of(nobody)), 404, 'CRM-0006');
    expect((await at('by path').get(at('by path').of(holder))).status).to.equal(405);
  });

  it('may be those of the organization itself', async () => {
    const api = at('by path');
    const holders = await client.get(`/v2/organizations/${book.org}/holders?limit=1`);
    const [own] = (holders.json() as List<{ id: string; document: string }>).items;
    const answer = await api.post(own?.id ?? '', link(await newAccount()));
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.json()).to.include({ type: 'LEGAL_PERSON', document: own?.document });
  });

  it('are unique for an account, whichever of many requests at once wins', async () => {
    const api = at('by path');
    const holder = await newHolder();
    for (let n = 0; n < 20; n += 1) {
      const body = link(await newAccount());
      const answers = await Promise.all([1, 2, 3].map(() => api.post(holder, body)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.sort()).to.deep.equal([201, 409, 409]);
    }
  });

  it('are found by what they have after many changes at once, and by nothing else', async () => {
    const api = at('by path');
    const holder = await newHolder();
    const account = await newAccount();
    const { id } = (await api.post(holder, link(account))).json() as Instrument;
    const one = api.of(holder, `/${id}`);
    const values = ['v0', 'v1', 'v2', 'v3'];
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(
        values.map((value) => api.patch(one, { bankingDetails: { account: value } })),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      const last = (await api.get(one)).json() as Readonly<{ bankingDetails: { account: string } }>;
      for (const value of values) {
        const found = await api.list(`account_id=${account}&banking_details_account=${value}`);
        expect(found, value).to.deep.equal(value === last.bankingDetails.account ? [id] : []);
      }
    }
  });

  it('leave nothing protected in any file', async () => {
    const api = at('by header');
    const body = {
      ...link(await newAccount()),
      bankingDetails: { account: MARK, iban: MARK, branch: PLAIN_MARK },
      regulatoryFields: { participantDocument: MARK },
      relatedParties: [{ ...rita, document: MARK, name: MARK }],
    };
    const holder = await newHolder();
    const { id } = (await api.post(holder, body)).json() as Instrument;
    expect(await api.list(`banking_details_iban=${MARK}`)).to.deep.equal([id]);
    expect(filesWith(server.dataDir, MARK)).to.deep.equal([]);
    expect(filesWith(server.dataDir, PLAIN_MARK)).not.to.deep.equal([]);
  });
});

type Party = Readonly<{ id: string; document: string; endDate?: string }>;
type Problem = Readonly<{
  legacyCode: string;
  errors: readonly Readonly<{ location: string }>[];
}>;

const MARK = 'Xq7Zsecretacct';
const PLAIN_MARK = 'Xq7Zplainbranch';

/** The answers to references that lead nowhere, which differ by form (contract registry-and-fees §A4). */
const lost = {
  'by header': [400, 'CRM-0015', 'CRM-0015', ['0047', '0047']],
  'by path': [422, 'CRM-0042', 'CRM-0043', ['0488', '0489']],
  'by path below version 1': [404, 'CRM-0042', 'CRM-0043', ['0007', '0007']],
} as const;
