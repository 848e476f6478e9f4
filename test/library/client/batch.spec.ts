import { expect } from 'chai';
import {
  ConnectionLost,
  createClient,
  QuipuProblem,
  type TransactionToCreate,
  type BatchResult,
  type Client,
} from '#src/library/client.ts';
import { caught } from '#test/support/caught.ts';
import { misbehavingServerOfBlock, type Fault } from '#test/support/misbehaving-server.ts';
import { sharedServer } from '#test/support/server.ts';
import { available, newLedger, transfer, type LedgerPath } from './ledger.ts';

describe('a batch of the client', () => {
  const server = sharedServer();
  const between = misbehavingServerOfBlock(server);
  let client: Client;
  let path: LedgerPath;
  beforeEach(async () => {
    client = createClient({ url: between().url });
    path = await newLedger(client, ['@alice', '@bob'], { '@alice': '5000' });
    between().seen.splice(0);
  });

  async function* payments(count: number): AsyncGenerator<TransactionToCreate> {
    for (let n = 0; n < count; n += 1) yield { ...transfer('@alice', '@bob', '1'), code: `${n}` };
  }
  const results = (
    items: AsyncIterable<TransactionToCreate> | Iterable<TransactionToCreate>,
  ): Promise<BatchResult[]> => Array.fromAsync(client.batch(path, items));
  const meet = (...faults: readonly Fault[]): void => {
    const left = [...faults];
    between().behave(() => left.shift());
  };
  const linesSeen = () => between().seen.map(({ body }) => body.trim().split('\n').length);

  it('returns a result for each item, in the same order', async () => {
    const found = await results(payments(1200));
    expect(found.map(({ index }) => index)).to.deep.equal([...Array(1200).keys()]);
    expect(new Set(found.map(({ transaction }) => transaction?.id)).size).to.equal(1200);
    expect(await available(client, path, '@bob')).to.equal('1200');
    expect(linesSeen().slice(0, 3)).to.deep.equal([500, 500, 200]);
  });

  it('tells of an item that is refused, and goes on', async () => {
    const found = await results([
      transfer('@alice', '@bob', '1'),
      transfer('@bob', '@alice', '5000'),
      transfer('@alice', '@bob', '2'),
    ]);
    expect(found.map(({ status }) => status)).to.deep.equal([201, 422, 201]);
    expect(found.map(({ error }) => error?.code)).to.deep.equal([undefined, 'LDG-0018', undefined]);
    expect(found[0]?.transaction?.amount).to.equal('1');
  });

  it('sends the items without a result again, with their keys', async () => {
    meet('half-response', 'lost-response', 'lost-request', { status: 503, carriedOut: true });
    const found = await results(payments(40));
    expect(found.map(({ index }) => index)).to.deep.equal([...Array(40).keys()]);
    expect(found.every(({ status }) => status === 201)).to.equal(true);
    expect(await available(client, path, '@bob')).to.equal('40');

    const [first = 0, second = 0] = linesSeen();
    expect(first).to.equal(40);
    expect(second).to.be.within(1, 39);
    const keys = between()
      .seen.slice(0, 5)
      .map(({ body }) => body.match(/"idempotencyKey":"[^"]+/g));
    expect(keys.map((one) => one?.at(-1))).to.deep.equal(Array(5).fill(keys[0]?.at(-1)));
    expect(new Set(keys[0]).size).to.equal(40);
  });

  it('keeps keys of yours', async () => {
    const item = { ...transfer('@alice', '@bob', '1'), idempotencyKey: 'mine' };
    const [first, second] = await results([item, item]);
    expect(second?.transaction).to.deep.equal(first?.transaction);
    expect(await available(client, path, '@bob')).to.equal('1');
  });

  it('takes no more items once its results are not read', async () => {
    let taken = 0;
    const counted = async function* () {
      for await (const item of payments(5000)) {
        taken += 1;
        yield item;
      }
    };
    for await (const { index } of client.batch(path, counted())) if (index === 10) break;
    expect(taken).to.be.at.most(500);
  });

  it('gives up after as many retries as it may make', async () => {
    const impatient = createClient({ url: between().url, retriesMax: 2 });
    between().behave(() => 'lost-request');
    const error = await caught(Array.fromAsync(impatient.batch(path, payments(1))));
    expect(error).to.be.instanceOf(ConnectionLost);
    expect(between().seen).to.have.length(3);
  });

  it('is refused as a whole for a ledger that does not exist', async () => {
    const nobody = { ...path, ledger_id: path.organization_id };
    const error = await caught(Array.fromAsync(client.batch(nobody, payments(1))));
    expect(error).to.be.instanceOf(QuipuProblem).with.property('code', 'LDG-0037');
  });
});
