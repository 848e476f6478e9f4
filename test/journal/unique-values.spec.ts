import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import { changeLedger } from '#commands/ledger/processes/change-ledger.ts';
import { buildIndex } from '#commands/settings/processes/build-index.ts';
import { settingsDecider } from '#commands/settings/settings.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import {
  ledgerJournal,
  organizationJournal,
  settingsJournal,
  type JournalName,
} from '#src/kernel/journal-name.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import { processes } from '#src/bootstrap/processes.ts';
import { resumeProcesses } from '#src/journal/resume.ts';
import {
  createAccount,
  createAsset,
  createOrganization,
  idOf,
  LEDGER,
  openLedger as openSample,
  ORGANIZATION,
} from '#test/support/ledger-samples.ts';
import { metadataOf, outcomeOf, quiet, workbench, type Workbench } from './workbench.ts';
import type { Submit } from '#src/journal/steps.ts';

const SETTINGS = settingsJournal('default');
const ORGANIZATION_JOURNAL = organizationJournal(ORGANIZATION);
const LEDGER_JOURNAL = ledgerJournal(LEDGER);
const context = { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' };
const deciders = [ledgerDecider, settingsDecider];

const submit = <Event extends DomainEvent>(
  { journals }: Workbench,
  name: JournalName,
  command: object,
) => journals.submit<object, Event>({ name }, { command, context });
const ask = (bench: Workbench, command: object) => submit(bench, LEDGER_JOURNAL, command);
const account = (code: string | number, more: object = {}) =>
  createAccount({ metadata: { code }, ...more });
const opened = async (bench: Workbench): Promise<Workbench> => {
  for (const command of [openSample(), createAsset()]) await ask(bench, command);
  return bench;
};

const fields = { entityName: 'account', metadataKey: 'code', unique: true, sparse: true };
const begin = async (bench: Workbench, more: object = {}): Promise<MetadataIndexRecord> => {
  const command = { type: 'CreateMetadataIndex', fields: { ...fields, ...more } };
  const { events } = await submit<DomainEvent & { data: { index: MetadataIndexRecord } }>(
    bench,
    SETTINGS,
    command,
  );
  return events.at(-1)!.data.index;
};
const build = async (bench: Workbench, index: MetadataIndexRecord, elapsedMs = () => 0) =>
  buildIndex(
    {
      submit: (journal, command) => bench.journals.submit(journal, { command, context }),
      settled: () => bench.journals.settled(),
      log: bench.ports.store,
      sleep: (ms) => bench.scheduler.sleep(ms),
      elapsedMs,
    },
    index,
    'default',
  );
const make = async (bench: Workbench, more: object = {}) => build(bench, await begin(bench, more));
const typesOf = (bench: Workbench, name: JournalName): string[] =>
  bench.events(name).map(({ type }) => type);
const claimsOf = (bench: Workbench): (readonly string[])[] =>
  bench.events(LEDGER_JOURNAL).flatMap((event) => metadataOf(event).claims ?? []) as never;

describe('unique values in a journal', () => {
  it('are recorded beside the event that claims them, and nowhere while nothing is unique', async () => {
    const bench = await opened(workbench({ deciders }));
    await ask(bench, account('a'));
    expect(claimsOf(bench)).to.deep.equal([]);
    await make(bench);
    await ask(bench, account('b'));
    await ask(bench, createAccount());
    expect(claimsOf(bench)).to.deep.equal(['account/code/a', 'account/code/b']);
    expect(typesOf(bench, SETTINGS)).to.deep.equal(['MetadataIndexCreated', 'MetadataIndexBuilt']);
  });

  it('are no reason to search for a journal there is not', async () => {
    const bench = workbench({ deciders });
    expect(await outcomeOf(ask(bench, account('a')))).to.equal('LEDGER_NOT_FOUND');
    await make(bench);
    expect(await outcomeOf(ask(bench, account('a')))).to.equal('LEDGER_NOT_FOUND');
  });

  it('are held to by what is decided and not yet written', async () => {
    const bench = await opened(workbench({ deciders }));
    await make(bench);
    bench.hold();
    const answers = [account('a'), account('a'), account('b')].map((one) => ask(bench, one));
    await quiet();
    bench.letGo();
    expect(await Promise.all(answers.map(outcomeOf))).to.deep.equal([
      'done',
      'INDEX_CONFLICT',
      'done',
    ]);
  });

  describe('when what is known of the settings grows old in the middle of a decision', () => {
    const aging = () => {
      const bench: Workbench = workbench({
        deciders: [
          {
            ...ledgerDecider,
            needs: (...asked: Parameters<typeof ledgerDecider.needs>) => {
              const needs = ledgerDecider.needs(...asked);
              if (needs === undefined) bench.state.nowMs += 2000;
              return needs;
            },
          },
          settingsDecider,
        ],
        exclusive: false,
      });
      return opened(bench);
    };

    it('are held to', async () => {
      const bench = await aging();
      await make(bench);
      expect(await outcomeOf(ask(bench, account('a')))).to.equal('done');
      expect(await outcomeOf(ask(bench, account('a')))).to.equal('INDEX_CONFLICT');
      expect(claimsOf(bench)).to.deep.equal(['account/code/a']);
    });

    it('are free where the tenant has no settings', async () => {
      const bench = await aging();
      expect(await outcomeOf(ask(bench, account('a')))).to.equal('done');
      expect(await outcomeOf(ask(bench, account('a')))).to.equal('done');
    });
  });

  it('are found in the index, in the log behind it, and after a restart', async () => {
    const bench = await opened(workbench({ deciders }));
    await make(bench);
    await ask(bench, account('a'));
    expect(await outcomeOf(ask(bench, account('a')))).to.equal('INDEX_CONFLICT');
    const behind = workbench({ deciders, over: bench });
    expect(await outcomeOf(ask(behind, account('a')))).to.equal('INDEX_CONFLICT');
    await behind.catchUp();
    await ask(behind, account('b'));
    expect(await outcomeOf(ask(behind, account('a')))).to.equal('INDEX_CONFLICT');
    const fresh = workbench({ deciders, over: behind });
    for (const code of ['a', 'b']) {
      expect(await outcomeOf(ask(fresh, account(code)))).to.equal('INDEX_CONFLICT');
    }
  });

  it('are claimed by one of two processes that write them at once', async () => {
    const one = await opened(workbench({ deciders, exclusive: false }));
    await make(one);
    const two = workbench({ deciders, exclusive: false, over: one });
    await ask(two, createAccount());
    const answers = [ask(one, account('a')), ask(two, account('a'))];
    const outcomes = await Promise.all(answers.map(outcomeOf));
    expect(outcomes.sort()).to.deep.equal(['INDEX_CONFLICT', 'done']);
    expect(claimsOf(one)).to.deep.equal(['account/code/a']);
  });

  it('cost no look at the settings while there are none, but one a second where others write', async () => {
    for (const exclusive of [true, false]) {
      let reads = 0;
      const bench = await opened(workbench({ deciders, exclusive }));
      const read = bench.ports.store.read.bind(bench.ports.store);
      bench.ports.store.read = (stream, from, limit) => {
        if (stream === SETTINGS) reads += 1;
        return read(stream, from, limit);
      };
      for (let n = 0; n < 20; n += 1) {
        await ask(bench, account(n));
        bench.journals.unloadIdle(1000);
      }
      expect(reads, `exclusive: ${exclusive}`).to.be.at.most(exclusive ? 1 : 2);
      bench.state.nowMs += 999;
      await ask(bench, account('x'));
      bench.state.nowMs += 2;
      await ask(bench, account('y'));
      expect(reads, `exclusive: ${exclusive}`).to.be.at.most(exclusive ? 1 : 3);
    }
  });

  it('bind what was decided before the index was known and is written after it', async () => {
    const bench = await opened(workbench({ deciders }));
    bench.hold();
    const late = ask(bench, account('a'));
    await quiet();
    const index = begin(bench);
    await quiet();
    bench.appends.at(-1)!.release();
    const built = build(bench, await index);
    await quiet();
    bench.letGo();
    expect([await outcomeOf(late), await outcomeOf(built)]).to.deep.equal(['done', 'done']);
    expect(await outcomeOf(ask(bench, account('a')))).to.equal('INDEX_CONFLICT');
  });

  it('bind another process that decided before it knew of them, however late it writes', async () => {
    const one = await opened(workbench({ deciders, exclusive: false }));
    const two = workbench({ deciders, exclusive: false, over: one });
    await ask(two, account('a'));
    two.hold();
    const late = ask(two, account('b'));
    await quiet();
    const index = await begin(one);
    await build(one, index);
    expect(Math.max(...one.state.slept)).to.be.within(1000, 2000);
    two.state.nowMs += 5000;
    await ask(one, account('b'));
    two.letGo();
    expect(await outcomeOf(late)).to.equal('INDEX_CONFLICT');
    expect(claimsOf(one)).to.deep.equal(['account/code/a', 'account/code/b']);
  });

  it('leave a mark in every ledger where others write, which stops what was decided before', async () => {
    const one = await opened(workbench({ deciders, exclusive: false }));
    const two = workbench({ deciders, exclusive: false, over: one });
    await ask(two, createAccount());
    two.hold();
    const late = ask(two, account('b'));
    await quiet();
    await make(one);
    two.state.nowMs += 5000;
    two.letGo();
    expect(await outcomeOf(late)).to.equal('done');
    expect(claimsOf(one)).to.deep.equal(['account/code/b']);
    expect(typesOf(one, LEDGER_JOURNAL).slice(-2)).to.deep.equal([
      'MetadataClaimed',
      'AccountOpened',
    ]);
  });

  it('are claimed in pieces for what was there before', async () => {
    const bench = await opened(workbench({ deciders }));
    for (let n = 0; n < 1100; n += 1) void ask(bench, account(n));
    for (let n = 0; n < 40; n += 1) void ask(bench, account(String(n) + 'x'.repeat(1998)));
    await ask(bench, account('last'));
    await make(bench);
    const claimed = bench.events(LEDGER_JOURNAL).filter(({ type }) => type === 'MetadataClaimed');
    const pieces = claimed.map((event) => metadataOf(event).claims?.length ?? 0);
    expect(pieces.reduce((sum, length) => sum + length)).to.equal(1141);
    expect(pieces)
      .to.have.length(4)
      .and.to.satisfy((all: number[]) => Math.max(...all) === 500);
    expect(await outcomeOf(ask(bench, account(777)))).to.equal('INDEX_CONFLICT');
  });

  it('are given up when two records have one, when there is no time left, or when they are dropped', async () => {
    const bench = await opened(workbench({ deciders }));
    for (const code of ['a', 'a', 'b']) await ask(bench, account(code));
    expect(await outcomeOf(make(bench))).to.equal('INDEX_CONFLICT');
    let ms = 0;
    const slowly = build(bench, await begin(bench), () => (ms += 20_000));
    expect(await outcomeOf(slowly)).to.equal('INDEX_NOT_BUILT');
    const index = await begin(bench, { metadataKey: 'other' });
    await submit(bench, SETTINGS, {
      type: 'DeleteMetadataIndex',
      entityName: 'account',
      metadataKey: 'other',
    });
    expect(await outcomeOf(build(bench, index))).to.equal('INDEX_CONFLICT');
    const made = ['MetadataIndexCreated', 'MetadataIndexDeleted'];
    expect(typesOf(bench, SETTINGS)).to.deep.equal([...made, ...made, ...made]);
    await ask(bench, account('a'));
  });

  describe('of ledgers, which change in two journals', () => {
    const all = [...deciders, organizationDecider];
    const steps =
      ({ journals }: Workbench): Submit =>
      (journal, command) =>
        journals.submit(journal, { command, context });
    const OTHER = idOf('other');
    const path = (ledgerId: Uuid) => ({ organizationId: ORGANIZATION, ledgerId });
    const patch = (bench: Workbench, code: string, id = LEDGER) =>
      changeLedger(steps(bench), path(id), { metadata: { code } });
    const founded = async (exclusive: boolean): Promise<Workbench> => {
      const bench = workbench({ deciders: all, exclusive });
      await submit(bench, ORGANIZATION_JOURNAL, createOrganization());
      for (const [name, id] of Object.entries({ Retail: LEDGER, Shops: OTHER })) {
        const status = { code: 'ACTIVE', description: null };
        await openLedger(steps(bench), { id, organizationId: ORGANIZATION, name, status });
      }
      return bench;
    };
    const ofLedgers = { entityName: 'ledger' };

    it('are kept apart by the organization, found in its index and in the log behind it', async () => {
      const bench = await founded(true);
      await patch(bench, 'a');
      await make(bench, ofLedgers);
      expect(await outcomeOf(patch(bench, 'a', OTHER))).to.equal('INDEX_CONFLICT');
      await patch(bench, 'b');
      await bench.catchUp();
      const fresh = workbench({ deciders: all, over: bench });
      expect(await outcomeOf(patch(fresh, 'b', OTHER))).to.equal('INDEX_CONFLICT');
      expect(await outcomeOf(patch(fresh, 'a', OTHER))).to.equal('done');
    });

    it('bind what a ledger decided alone before the index was known and writes after it', async () => {
      const bench = await founded(true);
      bench.hold();
      const late = patch(bench, 'a');
      await quiet();
      const index = begin(bench, ofLedgers);
      await quiet();
      bench.appends.at(-1)!.release();
      const built = build(bench, await index);
      await quiet();
      bench.letGo();
      expect([await outcomeOf(late), await outcomeOf(built)]).to.deep.equal(['done', 'done']);
      expect(await outcomeOf(patch(bench, 'a', OTHER))).to.equal('INDEX_CONFLICT');
    });

    it('bind a ledger that another process changes, however late it writes', async () => {
      const one = await founded(false);
      const two = workbench({ deciders: all, exclusive: false, over: one });
      await patch(two, 'a');
      two.hold();
      const late = patch(two, 'b');
      await quiet();
      await build(one, await begin(one, ofLedgers));
      two.state.nowMs += 5000;
      expect(await outcomeOf(patch(one, 'a', OTHER))).to.equal('INDEX_CONFLICT');
      await patch(one, 'b', OTHER);
      two.letGo();
      expect(await outcomeOf(late)).to.equal('INDEX_CONFLICT');
      expect(typesOf(one, LEDGER_JOURNAL)).to.deep.equal([
        ...['LedgerOpened', 'LedgerUpdated', 'MetadataClaimed'],
        'LedgerUpdated', // Of nothing: it was shown to the organization.
      ]);
    });
  });

  describe('whose making was interrupted', () => {
    const MINUTE = 60_000_000;
    const resume = ({ journals, ports }: Workbench, aloneSince?: Micros) =>
      resumeProcesses(processes, journals, ports, { aloneSince });
    const interrupted = async (): Promise<Workbench> => {
      const bench = await opened(workbench({ deciders, exclusive: false }));
      await begin(bench);
      await bench.catchUp();
      return bench;
    };

    it('are taken back after two minutes, by whoever looks', async () => {
      const bench = await interrupted();
      await resume(bench);
      expect(typesOf(bench, SETTINGS)).to.have.length(1);
      bench.clock.at = (bench.clock.at + 2 * MINUTE + 1000) as Micros;
      await resume(bench);
      await bench.catchUp();
      await resume(bench);
      expect(typesOf(bench, SETTINGS)).to.deep.equal([
        'MetadataIndexCreated',
        'MetadataIndexDeleted',
      ]);
    });

    it('are taken back at once when nobody else can be at work', async () => {
      const bench = await interrupted();
      await resume(bench, (bench.clock.at + 1000) as Micros);
      expect(typesOf(bench, SETTINGS)).to.have.length(2);
    });

    it('give way to the next that is asked for', async () => {
      const bench = await interrupted();
      expect(await outcomeOf(begin(bench))).to.equal('INDEX_CONFLICT');
      bench.clock.at = (bench.clock.at + 2 * MINUTE + 1000) as Micros;
      await make(bench);
      expect(typesOf(bench, SETTINGS)).to.deep.equal([
        'MetadataIndexCreated',
        'MetadataIndexDeleted',
        'MetadataIndexCreated',
        'MetadataIndexBuilt',
      ]);
    });
  });
});
