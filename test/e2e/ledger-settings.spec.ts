import { expect } from 'chai';
import type { LedgerSettings } from '#src/events/ledger/ledger-settings.ts';
import { clientOf } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import { createLedger, createOrganization, got, NOBODY, type Ledger, type List } from './books.ts';
import { expectProblem } from './problems.ts';

/** Contract ledger §2.3, as version 1 shows them. */
const DEFAULTS: Omit<LedgerSettings, 'crossLedger'> = {
  accounting: { validateAccountType: false, validateRoutes: false, requireHolder: false },
  tracer: { mode: 'off', failPosture: 'open', timeoutMs: 250 },
  overrides: { allowFeeSkip: false, allowTracerSkip: false, allowHolderSkip: false },
};

describe('settings of a ledger', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let org = '';
  let at = '';
  beforeEach(async () => {
    org = (await createOrganization(client)).id;
    at = `/v1/organizations/${org}/ledgers/${(await createLedger(client, org)).id}`;
  });

  const settings = () => got<LedgerSettings>(client, `${at}/settings`);

  it('are complete from the beginning, and not shown in the ledger that nobody set them for', async () => {
    expect(await settings()).to.deep.equal(DEFAULTS);
    expect(await got(client, at)).not.to.have.property('settings');
  });

  it('are given at creation in part, and shown complete', async () => {
    const ledgers = `/v1/organizations/${org}/ledgers`;
    const sent = { accounting: { requireHolder: true, validateRoutes: null }, tracer: null };
    const answer = await client.post(ledgers, { name: 'Strict', settings: sent });
    expect(answer.status, answer.text).to.equal(201);
    const ledger = answer.json() as Ledger;
    const complete = {
      ...DEFAULTS,
      accounting: { ...DEFAULTS.accounting, requireHolder: true },
    };
    expect(ledger.settings).to.deep.equal(complete);
    const path = `${ledgers}/${ledger.id}`;
    expect((await client.get(path)).text).to.equal(answer.text);
    expect(await got(client, `${path}/settings`)).to.deep.equal(complete);
    const { items } = await got<List<Ledger>>(client, ledgers);
    expect(items.at(-1)).to.deep.equal(ledger);
    const given = await client.post(ledgers, { name: 'Said', settings: {} });
    expect((given.json() as Ledger).settings).to.deep.equal(DEFAULTS);
    const none = await client.post(ledgers, { name: 'Unsaid', settings: null });
    expect(none.json()).not.to.have.property('settings');
  });

  it('change member by member, and are shown in the ledger from then on', async () => {
    const before = await got<Ledger>(client, at);
    const answer = await client.patch(`${at}/settings`, {
      accounting: { validateAccountType: true },
      crossLedger: { enabled: true },
      overrides: null,
    });
    expect(answer.status, answer.text).to.equal(200);
    const first = {
      ...DEFAULTS,
      accounting: { ...DEFAULTS.accounting, validateAccountType: true },
    };
    expect(answer.json()).to.deep.equal(first);
    expect((await client.get(`${at}/settings`)).text).to.equal(answer.text);

    const tracer = { mode: 'advisory', failPosture: 'closed', timeoutMs: 1 } as const;
    const second = await client.patch(`${at}/settings`, {
      tracer,
      accounting: { validateAccountType: false },
      crossLedger: { enabled: false },
    });
    expect(second.json()).to.deep.equal({ ...DEFAULTS, tracer });
    const { updatedAt, ...ledger } = await got<Ledger>(client, at);
    expect(updatedAt > before.updatedAt).to.equal(true);
    expect({ ...ledger, updatedAt: before.updatedAt }).to.deep.equal({
      ...before,
      settings: { ...DEFAULTS, tracer },
    });
  });

  it('stay through a change of name, and are shown in its answer', async () => {
    await client.patch(`${at}/settings`, { overrides: { allowFeeSkip: true } });
    const renamed = (await client.patch(at, { name: 'Another name' })).json() as Ledger;
    expect(renamed.settings?.overrides.allowFeeSkip).to.equal(true);
    expect((await settings()).overrides.allowFeeSkip).to.equal(true);
  });

  it('that a PATCH leaves as they are leave no event, and are not shown for it', async () => {
    const before = (await client.get(at)).text;
    const events = await eventCount(server());
    for (const changes of [{}, { tracer: null }, { tracer: { mode: 'off', timeoutMs: 250 } }]) {
      const answer = await client.patch(`${at}/settings`, changes);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.json()).to.deep.equal(DEFAULTS);
    }
    expect(await eventCount(server())).to.equal(events);
    expect((await client.get(at)).text).to.equal(before);
  });

  it('are the same under /v2, which alone shows whether the ledger takes part in groups', async () => {
    const second = at.replace('/v1/', '/v2/');
    const off = { ...DEFAULTS, crossLedger: { enabled: false } };
    const on = { ...DEFAULTS, crossLedger: { enabled: true } };
    expect(await got(client, `${second}/settings`)).to.deep.equal(off);
    const answer = await client.patch(`${second}/settings`, { crossLedger: { enabled: true } });
    expect(answer.json()).to.deep.equal(on);
    expect(await got(client, `${second}/settings`)).to.deep.equal(on);
    expect(await settings()).to.deep.equal(DEFAULTS);

    const ledgersOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
    for (const [path, shown] of [[at, DEFAULTS] as const, [second, on] as const]) {
      const seen = [
        await got<Ledger>(client, path),
        (await got<List<Ledger>>(client, ledgersOf(path))).items.at(-1),
        (await client.patch(path, { metadata: { seen: path } })).json() as Ledger,
      ];
      for (const ledger of seen) expect(ledger?.settings).to.deep.equal(shown);
    }
    const sent = { name: 'Beside', settings: { crossLedger: { enabled: true } } };
    const made = (await client.post(ledgersOf(second), sent)).json() as Ledger;
    expect(made.settings).to.deep.equal(on);
    const beside = await got<Ledger>(client, `${ledgersOf(at)}/${made.id}`);
    expect(beside.settings).to.deep.equal(DEFAULTS);
  });

  const wrong: readonly (readonly [what: string, code: string, sent: object, at: string])[] = [
    ['a group there is not', '0147', { audit: {} }, 'audit'],
    ['a member there is not', '0147', { tracer: { timeout: 1 } }, 'tracer.timeout'],
    ['a member of another group', '0147', { tracer: { enabled: true } }, 'tracer.enabled'],
    ['a name every object has', '0147', { tracer: { toString: 1 } }, 'tracer.toString'],
    ['a group that is no object', '0148', { tracer: 'off' }, 'tracer'],
    ['a group that is a list', '0148', { accounting: [] }, 'accounting'],
    ['a flag in words', '0148', { crossLedger: { enabled: 'true' } }, 'crossLedger.enabled'],
    ['a number in words', '0148', { tracer: { timeoutMs: '250' } }, 'tracer.timeoutMs'],
    ['a mode that is no word', '0148', { tracer: { mode: 1 } }, 'tracer.mode'],
    ['a member beside the groups', '0149', { validateRoutes: true }, 'validateRoutes'],
    ['another mode', '0176', { tracer: { mode: 'strict' } }, 'tracer.mode'],
    ['a gate nobody keeps', '0176', { tracer: { mode: 'enforce' } }, 'tracer.mode'],
    ['another posture', '0176', { tracer: { failPosture: 'shut' } }, 'tracer.failPosture'],
    ['no time at all', '0176', { tracer: { timeoutMs: 0 } }, 'tracer.timeoutMs'],
    ['a part of a millisecond', '0176', { tracer: { timeoutMs: 1.5 } }, 'tracer.timeoutMs'],
    ['a time beyond numbers', '0176', { tracer: { timeoutMs: 1e30 } }, 'tracer.timeoutMs'],
  ];
  for (const [what, code, sent, location] of wrong) {
    it(`are refused for ${what}: ${code}`, async () => {
      const events = await eventCount(server());
      const said = { locations: [location], entityType: 'LedgerSettings' };
      expectProblem(await client.patch(`${at}/settings`, sent), 400, `LDG-${code}`, said);
      const made = await client.post(`/v1/organizations/${org}/ledgers`, {
        name: 'Provoked',
        settings: sent,
      });
      const within = { ...said, locations: [`settings.${location}`] };
      expectProblem(made, 400, `LDG-${code}`, within);
      expect(await eventCount(server())).to.equal(events);
    });
  }

  it('name every mistake at once', async () => {
    const answer = await client.patch(`${at}/settings`, {
      audit: 1,
      requireHolder: true,
      tracer: { mode: 'x', timeoutMs: -1 },
    });
    const locations = ['audit', 'requireHolder', 'tracer.mode', 'tracer.timeoutMs'];
    expectProblem(answer, 400, 'LDG-0147', { locations });
  });

  it('are an object of at most 64 KiB', async () => {
    expectProblem(await client.patch(`${at}/settings`, []), 400, 'LDG-0094');
    expectProblem(
      await client.post(`/v1/organizations/${org}/ledgers`, { name: 'A', settings: 1 }),
      400,
      'LDG-0094',
      { locations: ['settings'] },
    );
    const large = await client.patch(`${at}/settings`, { audit: 'x'.repeat(64 * 1024) });
    expectProblem(large, 400, 'LDG-0143', { entityType: 'request' });
  });

  it('are not found where the ledger is not', async () => {
    const said = { entityType: 'LedgerSettings' };
    const unknown = `/v1/organizations/${org}/ledgers/${NOBODY}/settings`;
    expectProblem(await client.get(unknown), 404, 'LDG-0007', said);
    expectProblem(await client.patch(unknown, {}), 404, 'LDG-0007', said);
    const lost = at.replace(org, NOBODY);
    expectProblem(await client.get(`${lost}/settings`), 404, 'LDG-0038', said);
    expectProblem(await client.patch(`${lost}/settings`, {}), 404, 'LDG-0038', said);
    const other = at.replace(org, (await createOrganization(client)).id);
    expectProblem(await client.get(`${other}/settings`), 404, 'LDG-0007', said);
    expect((await client.delete(at)).status).to.equal(204);
    expectProblem(await client.get(`${at}/settings`), 404, 'LDG-0007', said);
    expectProblem(await client.patch(`${at}/settings`, {}), 404, 'LDG-0007', said);
  });
});
