import { expect } from 'chai';
import { openSecretStore } from '#src/bootstrap/stores.ts';
import { parseSecrets, signingSecretName } from '#src/kernel/signing-secret.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventsOf, serverOfBlock } from '#test/support/server.ts';
import { storesOf } from '#test/support/stores.ts';
import { got, made, NOBODY, UUID_V7, type List } from './books.ts';
import { expectProblem } from './problems.ts';

type SubscriptionBody = Readonly<{
  id: string;
  name: string;
  status: string;
  target: object;
  secret?: string;
  createdAt: string;
  updatedAt: string;
}>;

const AT = '/v1/subscriptions';
const URL = 'https://hooks.example/quipu';
const WEBHOOK = { kind: 'webhook', url: URL };
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe('subscriptions', () => {
  const server = serverOfBlock({ env: { DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8, fd00::/8' } });
  const client = clientOf(server);
  after(() => client.close());

  const create = (fields: object = {}, headers = {}): Promise<SubscriptionBody> =>
    made(client, AT, { name: 'Books', target: WEBHOOK, ...fields }, headers);
  const send = (fields: object, headers = {}): Promise<Answer> =>
    client.post(AT, { name: 'Books', target: WEBHOOK, ...fields }, headers);
  const secretsOf = async (id: string) => {
    const { dataDir } = server();
    const { READ_STORE_URL: readStoreUrl = 'embedded:' } = await storesOf(dataDir).settings();
    const store = await openSecretStore({ eventStoreUrl: 'embedded:', readStoreUrl, dataDir });
    try {
      const found = await store.get(signingSecretName(id));
      return found && parseSecrets(found.value);
    } finally {
      await store.close();
    }
  };
  const journal = () => eventsOf(server(), 'streaming-default');

  it('are created from what is required, and read back without the secret', async () => {
    const answer = await client.post(AT, { name: 'Books', target: WEBHOOK });
    const { secret, ...body } = answer.json() as SubscriptionBody;
    const { id, createdAt, updatedAt, ...rest } = body;
    expect(answer.status, answer.text).to.equal(201);
    expect(secret).to.match(SECRET);
    expect(id).to.match(UUID_V7);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      name: 'Books',
      filters: {},
      target: { ...WEBHOOK, timeoutMs: 15_000 },
      format: 'structured',
      ordering: 'none',
      rateLimit: 50,
      status: 'active',
      startAt: 'now',
    });
    expect(await got(client, `${AT}/${id}`)).to.deep.equal(body);
    const { items } = await got<List<SubscriptionBody>>(client, `${AT}?sort_order=desc&limit=1`);
    expect(items).to.deep.equal([body]);
  });

  it('keep every field that is sent', async () => {
    const fields = {
      name: 'ñ'.repeat(128),
      filters: {
        types: ['*', 'account.*', 'studio.quipu.balance.config-changed'],
        resourceTypes: ['account'],
        eventTypes: [],
        subjects: ['0190a1c0-0000-7000-8000-0000000000aa:x'],
        organizationIds: [NOBODY],
        ledgerIds: [NOBODY.toLowerCase()],
      },
      target: { ...WEBHOOK, headers: { 'X-Team': 'books and more' }, timeoutMs: 1 },
      format: 'binary',
      ordering: 'key',
      rateLimit: 1000,
      startAt: '2026-01-05T10:00:00.000000Z',
    };
    expect(await create(fields)).to.deep.include(fields);
    for (const target of [
      { kind: 'pull' },
      { kind: 'queue', provider: 'rabbitmq', address: 'amqps://mq.example:5671/v?exchange=e' },
      { kind: 'bus', provider: 'kafka', address: 'kafka://a:9092,b:9093/t', credentials: 'BUS_1' },
    ]) {
      const body = await create({ target });
      expect(body).to.deep.include({ target });
      expect(body).not.to.have.property('secret');
      expect(await secretsOf(body.id)).to.equal(undefined);
    }
  });

  it('never have a secret in the log or in a read model', async () => {
    const { id, secret = '' } = await create();
    const rotated = await rotate(id);
    const texts = [
      ...(await journal()).map(({ data, metadata }) => data + metadata),
      JSON.stringify(await got(client, `${AT}/${id}`)),
      (await client.get(AT)).text,
      (await client.patch(`${AT}/${id}`, { name: 'Audit' })).text,
      server().output(),
    ];
    for (const text of texts) {
      expect(text).not.to.contain(secret);
      expect(text).not.to.contain(rotated);
      expect(text).not.to.contain('whsec_');
    }
  });

  const of = (target: object) => ({ target });
  const webhook = (members: object) => of({ ...WEBHOOK, ...members });
  const queue = (members: object) =>
    of({
      kind: 'queue',
      provider: 'rabbitmq',
      address: 'amqps://mq.example/v?queue=q',
      ...members,
    });
  const refused: [what: string, fields: object, code: string, location: string][] = [
    ['no name', { name: '' }, 'LDG-0009', 'name'],
    ['a name of 129', { name: 'n'.repeat(129) }, 'LDG-0047', 'name'],
    ['no target', { target: undefined }, 'LDG-0009', 'target'],
    ['a target that is a text', { target: 'pull' }, 'LDG-0094', 'target'],
    ['a tenant', { tenantId: 'default' }, 'LDG-0053', 'tenantId'],
    ['a status', { status: 'active' }, 'LDG-0053', 'status'],
    ['a secret', { secret: 'whsec_x' }, 'LDG-0053', 'secret'],
    ['an id', { id: NOBODY }, 'LDG-0053', 'id'],
    ['another format', { format: 'batch' }, 'LDG-0047', 'format'],
    ['another ordering', { ordering: 'strict' }, 'LDG-0047', 'ordering'],
    ['no message a second', { rateLimit: 0 }, 'LDG-0047', 'rateLimit'],
    ['1001 messages a second', { rateLimit: 1001 }, 'LDG-0047', 'rateLimit'],
    ['half a message', { rateLimit: 0.5 }, 'LDG-0094', 'rateLimit'],
    ['a start in the future', { startAt: '2999-01-01T00:00:00Z' }, 'LDG-0047', 'startAt'],

    ['an unknown filter', { filters: { tenants: [] } }, 'LDG-0053', 'filters.tenants'],
    ['a filter without a list', { filters: { types: '*' } }, 'LDG-0094', 'filters.types'],
    ['101 types', { filters: { types: Array(101).fill('*') } }, 'LDG-0047', 'filters.types'],
    ['a star in the middle', { filters: { types: ['a.*.b'] } }, 'LDG-0047', 'filters.types[0]'],
    ['a star in a segment', { filters: { types: ['a.b*'] } }, 'LDG-0047', 'filters.types[0]'],
    ['an empty segment', { filters: { types: ['a..b'] } }, 'LDG-0047', 'filters.types[0]'],
    ['an empty type', { filters: { types: [''] } }, 'LDG-0047', 'filters.types[0]'],
    ['an id that is none', { filters: { ledgerIds: ['x'] } }, 'LDG-0047', 'filters.ledgerIds[0]'],
    [
      'a long subject',
      { filters: { subjects: ['s'.repeat(1025)] } },
      'LDG-0047',
      'filters.subjects[0]',
    ],

    ['no kind', of({}), 'LDG-0009', 'target.kind'],
    ['another kind', of({ kind: 'mail' }), 'LDG-0047', 'target.kind'],
    ['a member of another kind', of({ kind: 'pull', url: URL }), 'LDG-0053', 'target.url'],
    ['no URL', webhook({ url: '' }), 'LDG-0009', 'target.url'],
    ['a URL that is a number', webhook({ url: 7 }), 'LDG-0094', 'target.url'],
    ['a path', webhook({ url: '/hook' }), 'LDG-0047', 'target.url'],
    ['another scheme', webhook({ url: 'ftp://hooks.example' }), 'LDG-0047', 'target.url'],
    ['a file', webhook({ url: 'file:///etc/passwd' }), 'LDG-0047', 'target.url'],
    ['http with a name', webhook({ url: 'http://hooks.example' }), 'LDG-0047', 'target.url'],
    ['http with localhost', webhook({ url: 'http://localhost:1' }), 'LDG-0047', 'target.url'],
    ['http with another address', webhook({ url: 'http://10.0.0.1/' }), 'LDG-0047', 'target.url'],
    ['user info', webhook({ url: 'https://me:pw@hooks.example' }), 'LDG-0047', 'target.url'],
    ['a fragment', webhook({ url: 'https://hooks.example/#a' }), 'LDG-0047', 'target.url'],
    ['a backslash', webhook({ url: 'https://hooks.example\\@x' }), 'LDG-0047', 'target.url'],
    ['an odd address', webhook({ url: 'http://0x7f.1/' }), 'LDG-0047', 'target.url'],
    ['a decimal address', webhook({ url: 'http://2130706433/' }), 'LDG-0047', 'target.url'],
    ['an address as a name', webhook({ url: 'https://127.1/' }), 'LDG-0047', 'target.url'],
    ['a line feed', webhook({ url: 'https://hooks.example/\n' }), 'LDG-0047', 'target.url'],
    ['a port too high', webhook({ url: 'https://hooks.example:65536' }), 'LDG-0047', 'target.url'],
    ['a long URL', webhook({ url: `${URL}${'x'.repeat(2048)}` }), 'LDG-0047', 'target.url'],
    ['a long timeout', webhook({ timeoutMs: 15_001 }), 'LDG-0047', 'target.timeoutMs'],
    ['no timeout at all', webhook({ timeoutMs: 0 }), 'LDG-0047', 'target.timeoutMs'],
    ['half a millisecond', webhook({ timeoutMs: 1.5 }), 'LDG-0094', 'target.timeoutMs'],
    ['another provider', queue({ provider: 'sqs' }), 'LDG-0047', 'target.provider'],
    ['the other provider', queue({ provider: 'kafka' }), 'LDG-0047', 'target.provider'],
    ['no provider', queue({ provider: null }), 'LDG-0009', 'target.provider'],
    ['no address', queue({ address: undefined }), 'LDG-0009', 'target.address'],
    [
      'a password',
      queue({ address: 'amqp://u:p@mq.example?queue=q' }),
      'LDG-0047',
      'target.address',
    ],
    ['no queue', queue({ address: 'amqps://mq.example/v' }), 'LDG-0047', 'target.address'],
    [
      'no topic',
      of({ kind: 'bus', provider: 'kafka', address: 'kafkas://a:9093' }),
      'LDG-0047',
      'target.address',
    ],
    ['a credential', queue({ credentials: 'user:pw' }), 'LDG-0047', 'target.credentials'],
    ['a number', queue({ credentials: 7 }), 'LDG-0094', 'target.credentials'],
    ...Object.entries({
      Host: 'x',
      'Content-Length': '0',
      'content-type': 'text/plain',
      'CE-Id': '1',
      'Webhook-Signature': 'v1,x',
      Connection: 'close',
      'Transfer-Encoding': 'chunked',
      'Proxy-Authorization': 'x',
      Authorization: 'Bearer x',
      cookie: 'a=b',
      'not a name': 'x',
      'X-Line': 'a\r\nb: c',
      'X-Space': ' a',
      'X-Long': 'x'.repeat(1025),
      'X-Ñ': 'x',
    }).map(([name, value]): [string, object, string, string] => [
      `the header ${name}`,
      webhook({ headers: { [name]: value } }),
      'LDG-0047',
      `target.headers.${name}`,
    ]),
    ['a header twice', webhook({ headers: { A: '1', a: '2' } }), 'LDG-0047', 'target.headers.a'],
    ['a header of 7', webhook({ headers: { A: 7 } }), 'LDG-0094', 'target.headers.A'],
    ['headers in a list', webhook({ headers: [] }), 'LDG-0094', 'target.headers'],
    [
      '17 headers',
      webhook({ headers: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`X${n}`, ''])) }),
      'LDG-0047',
      'target.headers',
    ],
  ];
  for (const [what, fields, code, location] of refused) {
    it(`are refused with ${what}`, async () => {
      const before = (await journal()).length;
      const problem = expectProblem(await send(fields), 400, code);
      expect(problem.errors?.map((found) => found.location)).to.include(location);
      expect(await journal()).to.have.length(before);
    });
  }

  it('do not show what may be a password', async () => {
    const { text } = await send(queue({ credentials: 'hunter2!' }));
    expect(text).not.to.contain('hunter2');
  });

  it('may address ranges that are open without encryption', async () => {
    for (const url of ['http://127.0.0.1:8080/hook?a=b', 'http://[fd00::1]:81']) {
      expect((await create(webhook({ url }))).target).to.include({ url });
    }
    for (const url of ['http://[::1]/', 'https://[::1]/', 'https://10.0.0.1/']) {
      const answer = await send(webhook({ url }));
      expectProblem(answer, 400, 'LDG-0047', { locations: ['target.url'] });
    }
    const { id } = await create();
    const patched = await client.patch(`${AT}/${id}`, webhook({ url: 'http://10.0.0.1' }));
    expectProblem(patched, 400, 'LDG-0047', { locations: ['target.url'] });
  });

  it('are changed member by member, and a target as a whole', async () => {
    const { id, createdAt } = await create({ ...webhook({ headers: { A: 'b' } }) });
    const changes = {
      name: 'Audit',
      filters: { types: [] },
      ...webhook({ timeoutMs: 500 }),
      format: 'binary',
      ordering: 'key',
      rateLimit: 1,
    };
    const answer = await client.patch(`${AT}/${id}`, changes);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.json()).to.deep.include({ ...changes, id, createdAt, status: 'active' });
    expect(await got(client, `${AT}/${id}`)).to.deep.equal(answer.json());
    const again = await client.patch(`${AT}/${id}`, changes);
    expect(again.text).to.equal(answer.text);
  });

  for (const [what, changes, code, location] of [
    ['a status', { status: 'active' }, 'LDG-0053', 'status'],
    ['another start', { startAt: 'now' }, 'LDG-0053', 'startAt'],
    ['another kind', of({ kind: 'pull' }), 'LDG-0047', 'target.kind'],
    ['no name', { name: null }, 'LDG-0053', 'name'],
  ] as const) {
    it(`are not changed to ${what}`, async () => {
      const { id, secret: _, ...body } = await create();
      const answer = await client.patch(`${AT}/${id}`, changes);
      expectProblem(answer, 400, code, { locations: [location] });
      expect(await got(client, `${AT}/${id}`)).to.deep.equal({ id, ...body });
    });
  }

  it('are paused and resumed, again without effect', async () => {
    const { id } = await create();
    const act = async (action: string): Promise<SubscriptionBody> => {
      const answer = await client.post(`${AT}/${id}/${action}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.json() as SubscriptionBody;
    };
    const paused = await act('pause');
    expect(paused.status).to.equal('paused');
    expect(await act('pause')).to.deep.equal(paused);
    expect((await act('resume')).status).to.equal('active');
    expect(await got(client, `${AT}/${id}`)).to.include({ status: 'active' });
  });

  it('have a secret that is replaced, while the old one signs for 24 hours', async () => {
    const { id, secret } = await create();
    const second = await rotate(id);
    expect(second).to.match(SECRET).and.not.to.equal(secret);
    const { current, previous } = (await secretsOf(id))!;
    expect([current.secret, previous?.secret]).to.deep.equal([second, secret]);
    const overlapMs = Date.parse(previous!.until) - Date.parse(current.since);
    expect(overlapMs).to.equal(24 * 3_600_000);
    expect((await journal()).at(-1)!.data).to.contain('"changed":["secret"]');
  });

  it('have every secret of two rotations at once', async () => {
    const { id, secret } = await create();
    const rotated = await Promise.all([rotate(id), rotate(id)]);
    const { current, previous, older = [] } = (await secretsOf(id))!;
    const all = [current, previous, ...older].map((one) => one?.secret);
    expect(all).to.have.members([secret, ...rotated]);
  });

  it('are deleted with their secret', async () => {
    const { id } = await create();
    const answer = await client.delete(`${AT}/${id}`);
    expect(answer.status).to.equal(204);
    expect(await secretsOf(id)).to.equal(undefined);
    const gone = [
      await client.get(`${AT}/${id}`),
      await client.patch(`${AT}/${id}`, { name: 'Ghost' }),
      await client.delete(`${AT}/${id}`),
      await client.post(`${AT}/${id}/pause`),
      await client.post(`${AT}/${id}/resume`),
      await client.post(`${AT}/${id}/secret/rotate`),
    ];
    for (const one of gone) expectProblem(one, 404, 'LDG-0007', { entityType: 'Subscription' });
    expect((await client.get(`${AT}?limit=100`)).text).not.to.contain(id);
  });

  it('are either paused or gone when both are asked for at once', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id } = await create();
      const [paused, deleted] = await Promise.all([
        client.post(`${AT}/${id}/pause`),
        client.delete(`${AT}/${id}`),
      ]);
      expect(deleted.status).to.equal(204);
      expect(paused.status).to.be.oneOf([200, 404]);
      expect((await client.get(`${AT}/${id}`)).status).to.equal(404);
      expect(await secretsOf(id)).to.equal(undefined);
    }
  });

  it('leave no secret behind when they are deleted while it is replaced', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id } = await create();
      const [rotated, deleted] = await Promise.all([
        client.post(`${AT}/${id}/secret/rotate`),
        client.delete(`${AT}/${id}`),
      ]);
      expect(deleted.status).to.equal(204);
      expect(rotated.status, rotated.text).to.be.oneOf([200, 404]);
      expect(await secretsOf(id)).to.equal(undefined);
    }
  });

  for (const [kind, target] of Object.entries({ webhook: WEBHOOK, pull: { kind: 'pull' } })) {
    it(`of a ${kind} are created once under a key, also when 8 ask for it at once`, async () => {
      const before = (await journal()).length;
      const headers = { 'X-Idempotency': `subscribe-${kind}` };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => send({ name: 'Once', target }, headers)),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.have.length(1);
      expect(answers[0]!.status).to.equal(201);
      const replayed = answers.map((answer) => answer.headers['x-idempotency-replayed']);
      expect(replayed.filter((one) => one === 'false')).to.have.length(1);
      expect(await journal()).to.have.length(before + 1);
      const other = await send({ name: 'Twice', target }, headers);
      expectProblem(other, 409, 'LDG-0084');
    });
  }

  it('show the current secret when the creation is repeated, and none once deleted', async () => {
    const headers = { 'X-Idempotency': 'repeated' };
    const { id, secret } = await create({}, headers);
    expect((await create({}, headers)).secret).to.equal(secret);
    const rotated = await rotate(id);
    expect((await create({}, headers)).secret).to.equal(rotated);
    await client.delete(`${AT}/${id}`);
    expect(await create({}, headers)).not.to.have.property('secret');
  });

  it('are listed by page, in the order of their creation', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await create()).id);
    const all: string[] = [];
    for (let page = 1; ; page += 1) {
      const { items } = await got<List<SubscriptionBody>>(client, `${AT}?limit=7&page=${page}`);
      all.push(...items.map(({ id }) => id));
      if (items.length < 7) break;
    }
    expect(new Set(all)).to.have.length(all.length);
    expect(all.slice(-3)).to.deep.equal(ids);
    const found = await got<List<SubscriptionBody>>(client, `${AT}?limit=100&metadata.a=b`);
    expect(found.items.length, 'they have no metadata').to.equal(all.length);
    expectProblem(await client.get(`${AT}?limit=0`), 400, 'LDG-0082');
    expectProblem(await client.get(`${AT}?limit=101`), 400, 'LDG-0080');
  });

  async function rotate(id: string): Promise<string> {
    const answer = await client.post(`${AT}/${id}/secret/rotate`);
    expect(answer.status, answer.text).to.equal(200);
    return (answer.json() as { secret: string }).secret;
  }
});
