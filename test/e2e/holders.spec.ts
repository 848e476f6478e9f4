import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { made, ORGANIZATIONS, type List } from './books.ts';
import { filesWith } from './files-with.ts';
import { expectProblem } from './problems.ts';

type Holder = Readonly<{ id: string; document: string }> & Readonly<Record<string, unknown>>;

const ana = {
  externalId: 'cust-77',
  type: 'NATURAL_PERSON',
  name: 'Ana Lima',
  document: '91315026015',
  addresses: {
    primary: {
      line1: 'Rua A, 10',
      zipCode: '01000-000',
      city: 'Sao Paulo',
      state: 'SP',
      country: 'BR',
    },
  },
  contact: { primaryEmail: 'ana@example.com', mobilePhone: '+5511900000000' },
  naturalPerson: { birthDate: '1990-04-02', motherName: 'Rita Lima' },
  metadata: { tier: 'gold' },
};

describe('holders', function () {
  this.timeout(60_000);

  let server: Server;
  const client = clientOf(() => server);
  before(async () => {
    server = await startServer();
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  const organization = async (): Promise<string> =>
    (await made<{ id: string }>(client, ORGANIZATIONS, { legalName: 'Bank', legalDocument: '1' }))
      .id;

  /** The three forms in which an organization is named. */
  const mounts = {
    'by header': (org: string) => ({ path: '/v1', headers: { 'X-Organization-Id': org } }),
    'by path': (org: string) => ({ path: `/v2/organizations/${org}`, headers: {} }),
    'by path below version 1': (org: string) => ({ path: `/v1/organizations/${org}`, headers: {} }),
  };

  const at = (mount: keyof typeof mounts, org: string) => {
    const { path, headers } = mounts[mount](org);
    const url = (rest: string) => `${path}/${rest}`;
    const json = { 'Content-Type': 'application/json', ...headers };
    return {
      post: (rest: string, body: unknown, more = {}) =>
        client.post(url(rest), body, { ...headers, ...more }),
      get: (rest: string) => client.get(url(rest), headers),
      patch: (rest: string, body: object) =>
        client.send({
          method: 'PATCH',
          path: url(rest),
          headers: json,
          body: JSON.stringify(body),
        }),
      delete: (rest: string) => client.send({ method: 'DELETE', path: url(rest), headers }),
    };
  };

  for (const mount of Object.keys(mounts) as (keyof typeof mounts)[]) {
    describe(mount, () => {
      it('are created, retrieved, listed, changed, deleted and erased', async () => {
        const api = at(mount, await organization());
        const answer = await api.post('holders', ana);
        expect(answer.status, answer.text).to.equal(201);
        const holder = answer.json() as Holder;
        expect(Object.keys(holder)).to.deep.equal([
          ...['id', 'externalId', 'type', 'name', 'document', 'addresses', 'contact'],
          ...['naturalPerson', 'metadata', 'createdAt', 'updatedAt', 'deletedAt'],
        ]);
        expect(holder).to.deep.include({
          ...ana,
          addresses: { primary: { ...ana.addresses.primary, line2: null } },
          deletedAt: null,
        });
        const one = `holders/${holder.id}`;
        expect((await api.get(one)).text).to.equal(answer.text);

        const { items } = (await api.get('holders')).json() as List<Holder>;
        expect(items.map(({ name }) => name)).to.deep.equal(['Bank', 'Ana Lima']);
        for (const filter of [
          ...['document=91315026015', 'external_id=cust-77', 'metadata.tier=gold'],
          'document=91315026015&sort_order=desc',
        ]) {
          const found = (await api.get(`holders?${filter}`)).json() as List<Holder>;
          expect(found.items, filter).to.deep.equal([holder]);
        }
        const none = (await api.get('holders?document=9131502601')).json() as List<Holder>;
        expect(none.items).to.deep.equal([]);

        const changes = {
          name: 'Ana L. Souza',
          contact: { mobilePhone: null, otherPhone: '1' },
          naturalPerson: null,
          metadata: { tier: null, vip: true },
        };
        const changed = await api.patch(one, changes);
        expect(changed.status, changed.text).to.equal(200);
        const after = changed.json() as Holder;
        expect(after).to.deep.include({
          name: 'Ana L. Souza',
          contact: { primaryEmail: 'ana@example.com', otherPhone: '1' },
          metadata: { vip: true },
          document: '91315026015',
        });
        expect(after).not.to.have.property('naturalPerson');
        for (const nothing of [{}, { name: 'Ana L. Souza', metadata: {} }]) {
          expect((await api.patch(one, nothing)).text).to.equal(changed.text);
        }
        const cleared = (await api.patch(one, { metadata: null })).json() as Holder;
        if (mount === 'by path') expect(cleared['metadata']).to.deep.equal({ vip: true });
        else expect(cleared).not.to.have.property('metadata');

        expectProblem(await api.post('holders', ana), 409, 'CRM-0010');
        expect((await api.delete(one)).status).to.equal(204);
        expectProblem(await api.delete(one), 404, 'CRM-0006');
        expectProblem(await api.get(one), 404, 'CRM-0006');
        expectProblem(await api.patch(one, { name: 'X' }), 404, 'CRM-0006');
        const deleted = (await api.get(`${one}?include_deleted=TRUE`)).json() as Holder;
        expect(deleted['deletedAt']).to.be.a('string');
        expect(((await api.get('holders')).json() as List<Holder>).items).to.have.length(1);
        const all = (await api.get('holders?include_deleted=true')).json() as List<Holder>;
        expect(all.items).to.have.length(2);

        const again = (await api.post('holders', ana)).json() as Holder;
        const byDocument = 'holders?document=91315026015&include_deleted=true';
        const both = (await api.get(byDocument)).json() as List<Holder>;
        expect(both.items.map(({ id }) => id)).to.deep.equal([holder.id, again.id]);

        const erasure = await api.delete(`${one}?hard_delete=true`);
        expect(erasure.status, erasure.text).to.equal(204);
        expectProblem(await api.get(`${one}?include_deleted=true`), 404, 'CRM-0006');
        expectProblem(await api.delete(`${one}?hard_delete=true`), 404, 'CRM-0006');
        const left = (await api.get(byDocument)).json() as List<Holder>;
        expect(left.items.map(({ id }) => id)).to.deep.equal([again.id]);

        const id = String(erasure.headers['x-erasure-certificate']);
        const certificate = await api.get(`erasure-certificates/${id}`);
        expect(certificate.status, certificate.text).to.equal(200);
        const { positions, hash, ...proof } = certificate.json() as Readonly<
          Record<string, unknown>
        > & { positions: { first: string; last: string }; hash: string };
        expect(proof).to.include({ id, entityType: 'Holder', entityId: holder.id });
        expect(hash).to.match(/^[0-9a-f]{64}$/);
        expect(Number(positions.first)).to.be.below(Number(positions.last));
        const nobody = '0190a1c0-0000-7000-8000-000000000001';
        expectProblem(await api.get(`erasure-certificates/${nobody}`), 404, 'CRM-0046');
      });

      it('are created once under an idempotency key, until they are erased', async () => {
        const api = at(mount, await organization());
        const key = { 'X-Idempotency': 'once' };
        const answers = await Promise.all(
          Array.from({ length: 5 }, () => api.post('holders', ana, key)),
        );
        const [first] = answers;
        for (const answer of answers) {
          expect(answer.status, answer.text).to.equal(201);
          expect(answer.text).to.equal(first?.text);
        }
        const replay = await api.post('holders', ana, key);
        expect(replay.headers['x-idempotency-replayed']).to.equal('true');
        expectProblem(await api.post('holders', { ...ana, name: 'B' }, key), 409, 'LDG-0084');

        const { id } = first?.json() as Holder;
        expect((await api.delete(`holders/${id}?hard_delete=true`)).status).to.equal(204);
        expectProblem(await api.post('holders', ana, key), 404, 'CRM-0006');
      });
    });
  }

  it('are below an organization that exists, and that a request names', async () => {
    const nobody = '0190a1c0-0000-7000-8000-000000000001';
    expectProblem(await client.get('/v1/holders'), 400, 'CRM-0018');
    expectProblem(await at('by header', 'x').get('holders'), 400, 'CRM-0022');
    expectProblem(await at('by path', 'x').get('holders'), 400, 'CRM-0005');
    for (const mount of Object.keys(mounts) as (keyof typeof mounts)[]) {
      const api = at(mount, nobody);
      expectProblem(await api.get('holders'), 404, 'LDG-0038');
      expectProblem(await api.get(`holders/${nobody}`), 404, 'LDG-0038');
      expectProblem(await api.post('holders', ana), 404, 'LDG-0038');
      expectProblem(await api.patch(`holders/${nobody}`, {}), 404, 'LDG-0038');
      expectProblem(await api.delete(`holders/${nobody}`), 404, 'LDG-0038');
    }
  });

  it('refuse what is not as described, in the words of the registry', async () => {
    const api = at('by path', await organization());
    const refused: readonly (readonly [string, object | string])[] = [
      ['CRM-0003', { type: 'LEGAL_PERSON', name: 'A' }],
      ['CRM-0003', { ...ana, name: '' }],
      ['CRM-0004', { ...ana, type: 'SOMEONE' }],
      ['CRM-0004', { ...ana, name: 1 }],
      ['CRM-0004', { ...ana, contact: [] }],
      ['CRM-0004', { ...ana, naturalPerson: { birthDate: '1990-02-30' } }],
      ['CRM-0004', { ...ana, addresses: { primary: { country: 'ZZ' } } }],
      ['CRM-0007', { ...ana, unheard: 1 }],
      ['CRM-0007', { ...ana, contact: { fax: '1' } }],
      ['CRM-0001', { ...ana, metadata: { a: {} } }],
      ['CRM-0002', { ...ana, metadata: { ['k'.repeat(101)]: 1 } }],
      ['CRM-0012', { ...ana, metadata: { a: 'x'.repeat(2001) } }],
      ['CRM-0015', '{'],
      ['CRM-0015', '{"type":"LEGAL_PERSON","type":"LEGAL_PERSON"}'],
    ];
    for (const [code, body] of refused) expectProblem(await api.post('holders', body), 400, code);
    const { id } = (await api.post('holders', ana)).json() as Holder;
    for (const member of ['type', 'document']) {
      expectProblem(await api.patch(`holders/${id}`, { [member]: 'X' }), 400, 'CRM-0007');
    }
    expectProblem(await api.patch(`holders/${id}`, { name: null }), 400, 'CRM-0007');
    for (const query of ['page=0', 'limit=0', 'limit=', 'start_date=2026-01-01', 'end_date=x']) {
      expectProblem(await api.get(`holders?${query}`), 400, 'CRM-0016');
    }
    expectProblem(await api.get('holders?limit=101'), 400, 'CRM-0009');
    expectProblem(await api.get('holders?sort_order=up'), 400, 'CRM-0011');
  });

  it('show the organization itself first, which cannot be changed through them', async () => {
    const org = await organization();
    const api = at('by path', org);
    const { items } = (await api.get('holders?document=1')).json() as List<Holder>;
    expect(items).to.have.length(1);
    const own = items[0]!;
    expect(own).to.include({ type: 'LEGAL_PERSON', name: 'Bank', document: '1' });
    expect(
      (await client.patch(`${ORGANIZATIONS}/${org}`, { legalName: 'Bank 2' })).status,
    ).to.equal(200);
    const renamed = (await api.get(`holders/${own.id}`)).json() as Holder;
    expect(renamed['name']).to.equal('Bank 2');
    expectProblem(await api.patch(`holders/${own.id}`, { name: 'X' }), 422, 'CRM-0044');
    expectProblem(await api.delete(`holders/${own.id}`), 422, 'CRM-0044');
    const same = { type: 'LEGAL_PERSON', name: 'Bank', document: '1' };
    expect((await api.post('holders', same)).status).to.equal(201);
  });

  it('have a document that only one of two requests at once can register', async () => {
    const api = at('by path', await organization());
    for (let n = 0; n < 50; n += 1) {
      const body = { type: 'NATURAL_PERSON', name: 'Twin', document: `D${n}` };
      const statuses = (
        await Promise.all([api.post('holders', body), api.post('holders', body)])
      ).map(({ status }) => status);
      expect(statuses.sort(), body.document).to.deep.equal([201, 409]);
    }
  });

  it('have their protection set up once, by the first of them or by an operator, and audited', async () => {
    const org = await organization();
    const api = at('by path', org);
    const status = async () => (await api.get('encryption/status')).json();
    expect(await status()).to.deep.equal({ organization_id: org, provisioned: false });
    expect((await api.post('holders', ana)).status).to.equal(201);
    expect(await status()).to.deep.equal({
      organization_id: org,
      status: 'active',
      provisioned: true,
    });
    const body = { actor: 'ops@bank', reason: 'onboarding' };
    const answer = await api.post('encryption/provision', body);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.json()).to.include({ organization_id: org, status: 'active' });
    expectProblem(await api.post('encryption/provision', { actor: 'ops' }), 400, 'CRM-0039');

    const audit = async (query = '') =>
      (await api.get(`protection/audit${query}`)).json() as List<Record<string, unknown>>;
    const { items, ...envelope } = await audit();
    expect(envelope).to.deep.equal({ organization_id: org, limit: 10 });
    expect(items.map(({ actor, outcome }) => [actor, outcome])).to.deep.equal([
      ['ops@bank', 'already_exists'],
      ['system:auto-provision', 'success'],
    ]);
    expect(items[1]).to.include({ action: 'provision', from_status: '', to_status: 'active' });
    expect((await audit('?actor=ops@bank')).items).to.have.length(1);
    expect((await audit('?outcome=success&sort_order=asc')).items).to.have.length(1);
    expectProblem(await api.get('protection/audit?outcome=maybe'), 400, 'CRM-0016');
  });

  it('leave nothing of a person in any file', async () => {
    const api = at('by header', await organization());
    const { id } = (await api.post('holders', secretly)).json() as Holder;
    expect((await api.patch(`holders/${id}`, { name: `${MARK} B` })).status).to.equal(200);
    expect((await api.get(`holders?document=${MARK}`)).status).to.equal(200);
    expect(filesWith(server.dataDir, MARK)).to.deep.equal([]);
    expect(filesWith(server.dataDir, PLAIN_MARK)).not.to.deep.equal([]);
  });
});

const MARK = 'Xq7Zsecretperson';
const PLAIN_MARK = 'Xq7Zplain';
const secretly = {
  type: 'LEGAL_PERSON',
  externalId: PLAIN_MARK,
  name: MARK,
  document: MARK,
  addresses: { primary: { line1: MARK } },
  contact: { primaryEmail: MARK },
  naturalPerson: { motherName: MARK, favoriteName: MARK },
  legalPerson: { tradeName: MARK, representative: { name: MARK, email: MARK } },
};
