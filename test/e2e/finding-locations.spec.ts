import { expect } from 'chai';
import { fingerprint } from '#src/http/fingerprint.ts';
import { clientOf } from '#test/support/client.ts';
import { eventsOf, sharedServer } from '#test/support/server.ts';
import { openBook, sending, exactly, transfer, type Book } from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope, type Scope } from './v2-request.ts';
import { openGroupLedger } from './staged-groups.ts';

/** The API sends the names of a body's members along with the request; only a refusal shows them. */
describe('the locations of findings', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let retail: Scope;
  let shops: Scope;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    retail = await openGroupLedger(client, book.org, 'Retail', ['@alice']);
    shops = await openGroupLedger(client, book.org, 'Shops', ['@carol']);
  });

  const v1 = (form: string): string => `${book.at}/transactions/${form}`;
  const v2 = (form: string): string => `/v2/transactions/${form}`;
  const sent = transfer('@alice', '@bob', '1');
  const { asset, value, source, distribute } = sent.send;
  const home = (): Scope => ({ organizationId: book.org, ledgerId: book.ledger });
  const flat = (more: object = {}) => inScope(home()).direct('@alice', '@bob', '1', more);
  const across = () => ({
    asset: 'BRL',
    amount: '1',
    debits: [inScope(retail).leg('@alice', '1')],
    credits: [inScope(shops).leg('@carol', '1')],
  });
  const item = (order: number) => flat({ order, action: 'direct' });

  type Form = readonly [operationId: string, path: () => string, body: () => object];
  const forms: readonly Form[] = [
    ['createTransactionJson', () => v1('json'), () => sent],
    ['createTransactionJson', () => v1('json'), () => ({ ...sent, pending: true })],
    ['createTransactionInflow', () => v1('inflow'), () => ({ send: { asset, value, distribute } })],
    ['createTransactionOutflow', () => v1('outflow'), () => ({ send: { asset, value, source } })],
    ['createTransactionAnnotation', () => v1('annotation'), () => sent],
    ['createTransactionBlock', () => v1('block'), () => sent],
    [
      'createTransactionBatch',
      () => v1('batch'),
      () => ({ atomic: true, transactions: [sent, sent] }),
    ],
    ['createDirectTransaction', () => v2('direct'), flat],
    ['createHoldTransaction', () => v2('hold'), flat],
    ['createTransactionBatchV2', () => v2('batch'), () => ({ transactions: [item(2), item(1)] })],
    ['createDirectTransaction', () => v2('direct'), across],
    ['createHoldTransaction', () => v2('hold'), across],
  ];

  it('are in no event, no reply and no fingerprint of a request', async () => {
    const expected: string[] = [];
    const groups: string[] = [];
    for (const [n, [operationId, path, body]] of forms.entries()) {
      const answer = await client.post(path(), body(), { 'X-Idempotency': `key-${n}` });
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.text, operationId).not.to.match(LOCATIONS);
      const { groupId } = answer.json() as Readonly<{ groupId?: string }>;
      if (groupId !== undefined) groups.push(`group-${groupId}`);
      expected.push(`key-${n} ${fingerprint(operationId, body())}`);
    }
    expect(groups).to.have.length(2);
    const ledgers = [book.ledger, retail.ledgerId, shops.ledgerId].map((id) => `ledger-${id}`);
    const journals = [...ledgers, ...groups].map((journal) => eventsOf(server(), journal));
    const events = (await Promise.all(journals)).flat();
    for (const { type, data, metadata } of events) {
      expect(data + metadata, type).not.to.match(LOCATIONS);
    }
    const hashes = events.flatMap(({ metadata }) => {
      const { idempotencyKey, requestHash } = JSON.parse(metadata) as Record<string, string>;
      return idempotencyKey === undefined ? [] : [`${idempotencyKey} ${requestHash}`];
    });
    expect([...new Set(hashes)]).to.have.members(expected);
  });

  it('are those of the form in which the client sent the request', async () => {
    const refused = async (path: string, body: object, location: string): Promise<void> => {
      expectProblem(await client.post(path, body), 422, 'LDG-0019', { locations: [location] });
    };
    const nobody = sending('1', [exactly('@alice', '1')], [exactly('@nobody', '1')]);
    await refused(v1('json'), nobody, 'send.distribute.to[0].accountAlias');
    const credits = [inScope(home()).leg('@nobody', '1')];
    await refused(v2('direct'), flat({ credits }), 'credits[0].alias');
    const transactions = [item(1), { ...item(2), credits }];
    await refused(v2('batch'), { transactions }, 'transactions[1].credits[0].alias');
    const elsewhere = [inScope(shops).leg('@nobody', '1')];
    await refused(v2('direct'), { ...across(), credits: elsewhere }, 'credits[0].alias');
  });
});

/** What locations contain, and no event or reply does. */
const LOCATIONS = /locations|send\.(source|distribute|value)|(debits|credits)\[|amount\.value/;
