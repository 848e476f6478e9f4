import { expect } from 'chai';
import fc from 'fast-check';
import { ConnectionLost, createClient, QuipuProblem, type Client } from '#src/library/client.ts';
import { caught } from '#test/support/caught.ts';
import {
  misbehavingServerOfBlock,
  type Fault,
  type SeenRequest,
} from '#test/support/misbehaving-server.ts';
import { runsOf } from '#test/support/random.ts';
import { sharedServer } from '#test/support/server.ts';
import { available, LEDGER, newLedger, pay, transfer, type LedgerPath } from './ledger.ts';

describe('the client, when things go wrong,', () => {
  const server = sharedServer();
  const between = misbehavingServerOfBlock(server);
  let client: Client;
  let path: LedgerPath;
  beforeEach(async () => {
    client = createClient({ url: between().url });
    path = await newLedger(client, ['@alice', '@bob'], { '@alice': '500' });
    between().seen.splice(0);
  });

  /** Each request meets the next of these; those after them meet none. */
  const meet = (...faults: readonly (Fault | undefined)[]): void => {
    const left = [...faults];
    between().behave(() => left.shift());
  };
  const keyOf = ({ headers }: SeenRequest) => headers['x-idempotency'];
  const account = { assetCode: 'BRL', type: 'deposit', alias: '@carla' };
  const create = () => client.post(`${LEDGER}/accounts`, { path, body: account });

  for (const fault of ['lost-request', 'lost-response', 'half-response'] as const) {
    it(`creates one transaction although of each attempt there is a ${fault}`, async () => {
      meet(fault, fault);
      const { id } = await pay(client, path, transfer('@alice', '@bob', '7'));
      expect(between().seen).to.have.length(3);
      const keys = new Set(between().seen.map(keyOf));
      expect(keys.size).to.equal(1);
      expect([...keys][0]).to.match(/^[\w-]{36}$/);
      expect(await available(client, path, '@bob')).to.equal('7');
      const latest = { limit: 2, sort_order: 'desc' } as const;
      const { items } = await client.get(`${LEDGER}/transactions`, { path, query: latest });
      expect(items.map(({ amount }) => amount)).to.deep.equal(['7', '500']);
      expect(items[0]?.id).to.equal(id);
    });
  }

  it('makes a key for each creation, and keeps yours', async () => {
    const body = transfer('@alice', '@bob', '1');
    await pay(client, path, body);
    await pay(client, path, body);
    const headers = { 'X-Idempotency': 'invoice-7' };
    await client.post(`${LEDGER}/transactions/json`, { path, body, headers });
    const keys = between().seen.map(keyOf);
    expect(new Set(keys).size).to.equal(3);
    expect(keys.at(-1)).to.equal('invoice-7');
  });

  it('reads, changes and deletes once more', async () => {
    const { id } = await create();
    between().seen.splice(0);
    const one = { ...path, account_id: id };
    meet('half-response', undefined, 'lost-response', undefined, 'lost-request', undefined);
    const at = `${LEDGER}/accounts/{account_id}` as const;
    expect((await client.get(at, { path: one })).alias).to.equal('@carla');
    const changed = await client.patch(at, { path: one, body: { name: 'Carla' } });
    expect(changed.name).to.equal('Carla');
    await client.delete(at, { path: one });
    const methods = between().seen.map(({ method }) => method);
    expect(methods).to.deep.equal(['GET', 'GET', 'PATCH', 'PATCH', 'DELETE', 'DELETE']);
  });

  it('does not repeat a creation that takes no key', async () => {
    for (const fault of ['lost-response', { status: 503, retryAfter: '0' }] as const) {
      between().seen.splice(0);
      meet(fault);
      const error = await caught(create());
      expect(error).to.be.instanceOf(fault === 'lost-response' ? ConnectionLost : QuipuProblem);
      expect(between().seen).to.have.length(1);
      expect(between().seen.map(keyOf)).to.deep.equal([undefined]);
    }
  });

  for (const status of [429, 503]) {
    it(`waits as long as a ${status} asks for`, async () => {
      meet({ status, retryAfter: '1', carriedOut: status === 503 });
      await pay(client, path, transfer('@alice', '@bob', '7'));
      const [first, second] = between().seen;
      expect(second!.atMs - first!.atMs).to.be.within(990, 5000);
      expect(await available(client, path, '@bob')).to.equal('7');
    });
  }

  it('waits until a date', async () => {
    const inTwoSeconds = new Date(Date.now() + 2000).toUTCString(); // Without milliseconds.
    meet({ status: 429, retryAfter: inTwoSeconds });
    await pay(client, path, transfer('@alice', '@bob', '7'));
    const [first, second] = between().seen;
    expect(second!.atMs - first!.atMs).to.be.within(900, 5000);
  });

  it('does not wait for more than a minute, and says how long it would have to', async () => {
    meet({ status: 429, retryAfter: '61' });
    const error = await caught(pay(client, path, transfer('@alice', '@bob', '7')));
    expect(error).to.include({ status: 429, retryAfterMs: 61_000 });
    expect(between().seen).to.have.length(1);
  });

  it('gives up after as many retries as it may make', async () => {
    const impatient = createClient({ url: between().url, retriesMax: 2 });
    between().behave(() => 'lost-request');
    const error = await caught(pay(impatient, path, transfer('@alice', '@bob', '7')));
    expect(error).to.be.instanceOf(ConnectionLost);
    expect((error as ConnectionLost).cause).to.be.instanceOf(Error);
    expect(between().seen).to.have.length(3);
  });

  it('stops waiting when it is told to', async () => {
    meet({ status: 503, retryAfter: '30' });
    const stop = new AbortController();
    const body = transfer('@alice', '@bob', '7');
    const { signal } = stop;
    const paying = caught(client.post(`${LEDGER}/transactions/json`, { path, body, signal }));
    setTimeout(() => {
      stop.abort(new Error('No more'));
    }, 100);
    expect(await paying)
      .to.be.instanceOf(Error)
      .with.property('message', 'No more');
  });

  it('makes no transfer twice and loses none, whatever breaks', async function () {
    this.timeout(120_000);
    const anyFault = fc.constantFrom<(Fault | undefined)[]>(
      undefined,
      'lost-request',
      'lost-response',
      'half-response',
      { status: 429 },
      { status: 502, carriedOut: true },
      { status: 503, carriedOut: true },
    );
    const anyTransfer = fc.record({
      cents: fc.integer({ min: 1, max: 999 }),
      faults: fc.array(anyFault, { maxLength: 4 }),
    });
    const anyTransfers = fc.array(anyTransfer, { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(anyTransfers, async (transfers) => {
        between().behave(() => undefined);
        const at = await newLedger(client, ['@alice', '@bob'], { '@alice': '500' });
        const faults = new Map(transfers.map((one, n) => [`Transfer ${n}`, [...one.faults]]));
        between().behave(({ body }) => faults.get(/Transfer \d+/.exec(body)?.[0] ?? '')?.shift());
        await Promise.all(
          transfers.map(({ cents }, n) => {
            const body = {
              description: `Transfer ${n}`,
              ...transfer('@alice', '@bob', `${cents}e-2`),
            };
            return pay(client, at, body);
          }),
        );
        const sum = transfers.reduce((total, { cents }) => total + cents, 0);
        expect(Number(await available(client, at, '@bob'))).to.equal(sum / 100);
        let count = 0;
        for await (const one of client.items(`${LEDGER}/transactions`, { path: at })) {
          if (one.description.startsWith('Transfer')) count += 1;
        }
        expect(count).to.equal(transfers.length);
      }),
      { numRuns: runsOf(60) },
    );
  });
});
