import { Ajv } from 'ajv';
import { expect } from 'chai';
import { definitions } from '#src/bootstrap/definitions.ts';
import { topicsOf, type Topic } from '#src/bridge/catalog.ts';
import type { Draft } from '#src/ports/publisher.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { producer } from '#test/support/relayed.ts';
import { eventsOf, sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  got,
  NOBODY,
  posted,
  transfer,
  type Account,
  type Balance,
  type List,
} from './books.ts';
import { createOperationRoute, createTransactionRoute } from './routes.ts';

type Emitted = Readonly<{ key: string; subject: string; draft: Draft }>;
type Identified = Readonly<{ id: string }>;

/** Every operation so far, and the events that consumers get of it (contract events §6): key, and whose they are. */
describe('events that operations emit', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  const ajv = new Ajv({
    allowUnionTypes: true,
    formats: { uuid: true, 'date-time': true, decimal: true, int64: true },
  });
  const topics = topicsOf(producer, new Map(), definitions);
  const checks = new Map(definitions.map(({ key, payload }) => [key, ajv.compile(payload)]));

  let org = '';
  let ledger = '';
  let at = '';
  let alice: Account;
  before(async () => {
    org = (await createOrganization(client)).id;
    ledger = (await createLedger(client, org)).id;
    at = `/v1/organizations/${org}/ledgers/${ledger}`;
    await createAsset(client, at);
    alice = await createAccount(client, at, { alias: '@alice' });
    await createAccount(client, at, { alias: '@bob' });
    await posted(client, at, transfer('@external/BRL', '@alice', '100'));
  });

  /** Returns what the events of both journals yield that came while something was done. */
  const emittedBy = async (work: () => Promise<unknown>): Promise<readonly Emitted[]> => {
    const journals = [`organization-${org}`, `ledger-${ledger}`];
    const read = async () =>
      (await Promise.all(journals.map((journal) => eventsOf(server(), journal)))).flat();
    const known = new Set((await read()).map(({ id }) => id));
    await work();
    const fresh = (await read()).filter(({ id }) => !known.has(id));
    return fresh.flatMap((stored) => emissionsOf(new LoggedEvent(stored)));
  };

  const emissionsOf = (event: LoggedEvent): Emitted[] =>
    topics
      .filter(({ types }) => types.has(event.type))
      .flatMap((topic: Topic) => topic.drafts(event))
      .map((draft) => {
        const key = (draft.headers['ce-type'] ?? '').replace('studio.quipu.', '');
        return { key, subject: draft.headers['ce-subject'] ?? '', draft };
      });

  /** Names only; checks everything else: no fault, all attributes, the payload against its schema, no id twice. */
  const keysOf = (emitted: readonly Emitted[]): string[] => {
    for (const { key, draft } of emitted) {
      expect(draft.fault).to.equal(undefined);
      const check = checks.get(key)!;
      expect(check(JSON.parse(draft.value)), `${key} ${JSON.stringify(check.errors)}`).to.equal(
        true,
      );
      expect(draft.headers).to.include({ 'ce-specversion': '1.0', 'ce-source': 'quipu.ledger' });
      expect(draft.headers).to.not.have.property('ce-tenantid');
    }
    expect(new Set(emitted.map(({ draft }) => draft.headers['ce-id'])).size).to.equal(
      emitted.length,
    );
    return emitted.map(({ key }) => key).sort();
  };

  const accepted = async (answer: Promise<Answer>): Promise<Identified> => {
    const { status, text } = await answer;
    expect(status, text).to.be.within(200, 299);
    return (text === '' ? {} : JSON.parse(text)) as Identified;
  };
  const expectKeys = async (work: () => Promise<unknown>, keys: readonly string[]) => {
    expect(keysOf(await emittedBy(work))).to.deep.equal(keys.toSorted());
  };

  for (const [resource, path, body, change] of [
    ['asset', 'assets', { name: 'Gold', type: 'commodity', code: 'GOLD' }, { name: 'Fine gold' }],
    ['segment', 'segments', { name: 'North' }, { name: 'South' }],
    ['portfolio', 'portfolios', { name: 'Family' }, { name: 'Clan' }],
    ['account', 'accounts', { assetCode: 'BRL', type: 'deposit' }, { name: 'Savings' }],
    [
      'operation-route',
      'operation-routes',
      { title: 'In', operationType: 'source' },
      { title: 'Out' },
    ],
  ] as const) {
    it(`${resource}s: one for each step of its life`, async () => {
      let id = '';
      await expectKeys(async () => {
        ({ id } = await accepted(client.post(`${at}/${path}`, body)));
      }, [`${resource}.created`]);
      await expectKeys(
        () => accepted(client.patch(`${at}/${path}/${id}`, change)),
        [`${resource}.updated`],
      );
      await expectKeys(() => accepted(client.patch(`${at}/${path}/${id}`, change)), []); // No change.
      const gone = await emittedBy(() => accepted(client.delete(`${at}/${path}/${id}`)));
      const deleted = gone.find(({ key }) => key === `${resource}.deleted`);
      expect(deleted?.subject).to.equal(id);
      const others = resource === 'account' ? ['balance.deleted'] : [];
      expect(keysOf(gone)).to.deep.equal([`${resource}.deleted`, ...others].sort());
    });
  }

  it('transaction routes: one for each step, with the routes they join', async () => {
    const [source, destination] = [
      await createOperationRoute(client, at, 'source'),
      await createOperationRoute(client, at, 'destination'),
    ];
    const made = await emittedBy(() => createTransactionRoute(client, at, [source, destination]));
    expect(keysOf(made)).to.deep.equal(['transaction-route.created']);
    const { id, operationRouteIds } = JSON.parse(made[0]!.draft.value) as Identified &
      Readonly<{ operationRouteIds: string[] }>;
    expect(operationRouteIds).to.deep.equal([source.id, destination.id]);
    const path = `${at}/transaction-routes/${id}`;
    await expectKeys(
      () => accepted(client.patch(path, { title: 'Card payment' })),
      ['transaction-route.updated'],
    );
    await expectKeys(() => accepted(client.delete(path)), ['transaction-route.deleted']);
  });

  it('organizations and ledgers: one for each change, whatever steps it takes', async () => {
    await expectKeys(
      () => accepted(client.patch(`/v1/organizations/${org}`, { legalName: 'Andes' })),
      ['organization.updated'],
    );
    await expectKeys(
      () => accepted(client.patch(at, { name: `Renamed ${ledger.slice(-6)}` })),
      ['ledger.updated'],
    );
    await expectKeys(
      () => accepted(client.patch(at, { metadata: { a: '1' } })),
      ['ledger.updated'],
    );
  });

  it('an account that is blocked, unblocked and closed: changed each time', async () => {
    const { id } = await createAccount(client, at);
    const account = `/v2${at.slice(3)}/accounts/${id}`;
    for (const verb of ['block', 'unblock', 'close']) {
      await expectKeys(() => accepted(client.post(`${account}/${verb}`)), ['account.updated']);
    }
  });

  it('a transfer: the transaction, and a change for each of its operations', async () => {
    const emitted = await emittedBy(() => posted(client, at, transfer('@alice', '@bob', '1')));
    expect(keysOf(emitted)).to.deep.equal([
      'balance.changed',
      'balance.changed',
      'transaction.posted',
    ]);
    const { id } = JSON.parse(
      emitted.find(({ key }) => key === 'transaction.posted')!.draft.value,
    ) as Identified;
    for (const { key, subject } of emitted) {
      if (key === 'balance.changed') expect(subject).to.match(new RegExp(`^${id}:`));
    }
    const reverted = await emittedBy(() =>
      accepted(client.post(`${at}/transactions/${id}/revert`)),
    );
    const family = ['balance.changed', 'balance.changed', 'transaction.reverted'];
    expect(keysOf(reverted)).to.deep.equal(family);
    const reversal = reverted.find(({ key }) => key === 'transaction.reverted')!;
    expect(reversal.draft.key, 'in order with what it reverts').to.equal(id);
  });

  it('a pending transaction: its hold, then how it ends', async () => {
    for (const [verb, end] of [
      ['commit', ['balance.changed', 'balance.changed', 'transaction.committed']],
      ['cancel', ['balance.changed', 'transaction.canceled']],
    ] as const) {
      let id = '';
      await expectKeys(async () => {
        ({ id } = await posted(
          client,
          at,
          transfer('@alice', '@bob', '1', 'BRL', { pending: true }),
        ));
      }, ['balance.changed']);
      await expectKeys(() => accepted(client.post(`${at}/transactions/${id}/${verb}`)), end);
    }
  });

  it('an annotation, a change of a description, asset rates, settings: nothing by default', async () => {
    const { id } = await posted(client, at, transfer('@alice', '@bob', '1'));
    await expectKeys(
      () => accepted(client.post(`${at}/transactions/annotation`, transfer('@alice', '@bob', '1'))),
      [],
    );
    await expectKeys(
      () => accepted(client.patch(`${at}/transactions/${id}`, { description: 'Lunch' })),
      [],
    );
    await expectKeys(
      () =>
        accepted(client.patch(`${at}/settings`, { accounting: { validateAccountType: false } })),
      [],
    );
  });

  const balanceOf = async (account: Account, key: string): Promise<Balance> => {
    const { items } = await got<List<Balance>>(client, `${at}/accounts/${account.id}/balances`);
    return items.find((balance) => balance.key === key)!;
  };

  it('a further balance: created, changed, deleted', async () => {
    let id = '';
    await expectKeys(async () => {
      ({ id } = await accepted(
        client.post(`${at}/accounts/${alice.id}/balances`, { key: 'extra' }),
      ));
    }, ['balance.created']);
    await expectKeys(
      () => accepted(client.patch(`${at}/balances/${id}`, { allowSending: false })),
      ['balance.config-changed'],
    );
    await expectKeys(() => accepted(client.delete(`${at}/balances/${id}`)), ['balance.deleted']);
  });

  it('overdraft: allowed on two balances, drawn, repaid and cleared', async () => {
    const carol = await createAccount(client, at, { alias: '@carol' });
    const { id } = await balanceOf(carol, 'default');
    const allowed = await emittedBy(() =>
      accepted(client.patch(`${at}/balances/${id}`, { settings: { allowOverdraft: true } })),
    );
    expect(keysOf(allowed)).to.deep.equal(['balance.config-changed', 'balance.config-changed']);
    const companion = await balanceOf(carol, 'overdraft');
    expect(allowed.map(({ subject }) => subject)).to.deep.equal([companion.id, id]);
    expect(
      allowed.map(({ draft }) => draft.key),
      'in order',
    ).to.deep.equal([id, id]);

    for (const [from, to, amount, event] of [
      ['@carol', '@bob', '5', 'balance.overdraft-drawn'],
      ['@bob', '@carol', '2', 'balance.overdraft-repaid'],
      ['@bob', '@carol', '3', 'balance.overdraft-cleared'],
    ] as const) {
      const emitted = await emittedBy(() => posted(client, at, transfer(from, to, amount)));
      const about = emitted.filter(({ key }) => key.startsWith('balance.overdraft-'));
      expect(about.map(({ key }) => key)).to.deep.equal([event]);
      expect(JSON.parse(about[0]!.draft.value))
        .to.include({ balanceId: id, amount })
        .and.not.have.property('overdraftLimit');
    }

    const settings = { allowOverdraft: true, overdraftLimitEnabled: true, overdraftLimit: '20.50' };
    await accepted(client.patch(`${at}/balances/${id}`, { settings }));
    const drawn = await emittedBy(() => posted(client, at, transfer('@carol', '@bob', '1')));
    const { draft } = drawn.find(({ key }) => key === 'balance.overdraft-drawn')!;
    expect(JSON.parse(draft.value)).to.include({ overdraftLimit: '20.5' });
  });

  it('what is refused, or repeated with its key: nothing', async () => {
    await expectKeys(
      () => client.post(`${at}/transactions/json`, transfer('@nobody', '@bob', '1')),
      [],
    );
    await expectKeys(() => client.delete(`${at}/accounts/${NOBODY}`), []);
    const headers = { 'X-Idempotency': 'once' };
    await posted(client, at, transfer('@alice', '@bob', '1'), headers);
    await expectKeys(() => posted(client, at, transfer('@alice', '@bob', '1'), headers), []);
  });

  it('a ledger and an organization that are deleted: one each', async () => {
    const { id } = await createLedger(client, org);
    const events = async () =>
      (await eventsOf(server(), `ledger-${id}`)).map((one) => new LoggedEvent(one));
    await accepted(client.delete(`/v1/organizations/${org}/ledgers/${id}`));
    const emitted = (await events()).flatMap(emissionsOf);
    expect(keysOf(emitted)).to.deep.equal(['ledger.created', 'ledger.deleted']);
  });
});
