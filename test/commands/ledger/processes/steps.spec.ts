import { expect } from 'chai';
import { deleteLedger } from '#commands/ledger/processes/close-ledger.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import { changeLedger } from '#commands/ledger/processes/change-ledger.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { createOrganization, idOf, LEDGER, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { bulky } from '#test/support/metadata-samples.ts';
import { chanceOf, runsOf, seedOfRun } from '#test/support/random.ts';
import { Crash, interrupted, StepWorld } from '#test/support/step-world.ts';
import type { Submit } from '#src/journal/steps.ts';

const ACTIVE = { code: 'ACTIVE', description: null };
const path = { organizationId: ORGANIZATION, ledgerId: LEDGER };

const open = (submit: Submit, name: string, id = LEDGER) =>
  openLedger(submit, { id, organizationId: ORGANIZATION, name, status: ACTIVE });
const rename = (submit: Submit, name: string, ledgerId = LEDGER) =>
  changeLedger(submit, { ...path, ledgerId }, { name, metadata: { named: name } });
const remove = (submit: Submit, ledgerId = LEDGER) =>
  deleteLedger(submit, { ...path, ledgerId }, false);

async function founded(): Promise<StepWorld> {
  const world = new StepWorld();
  const journal = { name: organizationJournal(ORGANIZATION) };
  await world.submit(journal, createOrganization());
  return world;
}

/** Names that are taken, and by whom. */
const names = (world: StepWorld) => [...world.organization(ORGANIZATION).ledgerNames];

describe('steps in two journals', () => {
  const works: Readonly<Record<string, (submit: Submit) => Promise<unknown>>> = {
    'a rename': (submit) => rename(submit, 'Shops'),
    'a deletion': (submit) => remove(submit),
    'a rename to the name it has in another case': (submit) => rename(submit, 'RETAIL'),
  };

  for (const [what, work] of Object.entries(works)) {
    it(`${what}, interrupted after any of them, is finished at the next start, and once`, async () => {
      const whole = await founded();
      await open(whole.submit, 'Retail');
      await work(whole.submit);
      const journals = [organizationJournal(ORGANIZATION), ledgerJournal(LEDGER)];
      const expected = journals.map((journal) => whole.typesIn(journal));

      for (let steps = 0; ; steps += 1) {
        const world = await founded();
        await open(world.submit, 'Retail');
        const ended = await interrupted(world, steps, work);
        await world.resume();
        await world.resume();
        expect(await world.open(), `${steps} steps`).to.deep.equal([]);
        const begun = world.typesIn(ledgerJournal(LEDGER)).length > 1;
        if (begun) {
          expect(journals.map((journal) => world.typesIn(journal))).to.deep.equal(expected);
          expect(names(world)).to.deep.equal(names(whole));
        } else {
          expect(names(world)).to.deep.equal([['retail', LEDGER]]);
        }
        if (ended) break;
        await work(world.submit).catch(expectNotFound); // Asked again.
        expect(names(world)).to.deep.equal(names(whole));
      }
    });
  }

  it('a creation, interrupted after any of them, leaves a name and a ledger, or neither', async () => {
    for (let steps = 0; ; steps += 1) {
      const world = await founded();
      const ended = await interrupted(world, steps, (submit) => open(submit, 'Retail'));
      await world.resume();
      const begun = steps > 0;
      expect(names(world)).to.deep.equal(begun ? [['retail', LEDGER]] : []);
      expect(world.ledger(LEDGER).is).to.equal(begun ? 'live' : 'absent');
      if (ended) break;
    }
  });

  it('a ledger deleted while its creation is not settled stays deleted', async () => {
    const world = await founded();
    await interrupted(world, 2, (submit) => open(submit, 'Retail'));
    await interrupted(world, 1, (submit) => remove(submit));
    await world.resume();
    expect(world.ledger(LEDGER).is).to.equal('closed');
    expect(names(world)).to.deep.equal([]);
    expect(await world.open()).to.deep.equal([]);
  });

  it('a ledger deleted while it is renamed frees both names', async () => {
    const world = await founded();
    await open(world.submit, 'Retail');
    await interrupted(world, 2, (submit) => rename(submit, 'Shops'));
    expect(names(world).map(([name]) => name)).to.deep.equal(['retail', 'shops']);
    await remove(world.submit);
    expect(names(world)).to.deep.equal([]);
    await world.resume();
    expect(await world.open()).to.deep.equal([]);
  });

  it('a reservation that was overtaken changes nothing', async () => {
    const world = await founded();
    await open(world.submit, 'Retail');
    await rename(world.submit, 'Shops');
    const { events } = await world.submit(
      { name: ledgerJournal(LEDGER) },
      {
        type: 'UpdateLedger',
        organizationId: ORGANIZATION,
        changes: { name: 'Retail' },
        reservedAt: { journal: organizationJournal(ORGANIZATION), revision: 3 },
      },
    );
    expect(events).to.have.lengthOf(1);
    expect(world.typesIn(ledgerJournal(LEDGER))).to.deep.equal(['LedgerOpened', 'LedgerUpdated']);
    expect(world.last(ledgerJournal(LEDGER), 'ledger')).to.include({ name: 'Shops' });
  });

  it('a change too large for the ledger gives the new name back', async () => {
    const world = await founded();
    await open(world.submit, 'Retail');
    // What others store between the reservation and the ledger's own step.
    let submitted = 0;
    const submit = world.submitting(async () => {
      submitted += 1;
      if (submitted !== 3) return;
      await changeLedger(world.submit, path, { metadata: bulky() });
    });
    const change = changeLedger(submit, path, { name: 'Shops', metadata: bulky(50) });
    const refusal = await change.catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Refusal).and.have.property('refusal', 'TOO_LARGE');
    expect(names(world)).to.deep.equal([['retail', LEDGER]]);
    expect(await world.open()).to.deep.equal([]);
    // Nobody who resumes it late can take the name any more.
    const reservedAt = world
      .typesIn(organizationJournal(ORGANIZATION))
      .indexOf('LedgerRenameReserved');
    expect(world.ledger(LEDGER).named).to.equal(reservedAt);
    await rename(world.submit, 'Other');
  });

  it('a change that another request gave back is refused, too', async () => {
    const world = await founded();
    await open(world.submit, 'Retail');
    const submit = world.submitting(async () => {
      if (world.typesIn(organizationJournal(ORGANIZATION)).at(-1) !== 'LedgerRenameReserved')
        return;
      // Others leave no room for it, and finish it to rename the ledger themselves.
      await changeLedger(world.submit, path, { metadata: bulky() });
      await changeLedger(world.submit, path, { name: 'Stores' });
    });
    const change = changeLedger(submit, path, { name: 'Shops', metadata: bulky(50) });
    const refusal = await change.catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Refusal).and.have.property('refusal', 'TOO_LARGE');
    expect(names(world)).to.deep.equal([['stores', LEDGER]]);
  });

  it('of many at once, interleaved and interrupted as chance will have it, end well', async () => {
    const first = seedOfRun(20_260_121);
    for (let seed = first; seed < first + RUNS; seed += 1) await play(seed);
  });
});

const RUNS = runsOf(1000);
const LEDGERS = [idOf('one'), idOf('two'), idOf('three')];
const NAMES = ['A', 'a', 'B', 'b', 'C', 'D'];

/** Each works until it ends, is refused, or its process dies; then a start finishes what was begun. */
async function play(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const world = await founded();
  for (const [n, id] of LEDGERS.entries()) await open(world.submit, `Ledger ${n}`, id);

  const waiting: (() => void)[] = [];
  const works = Array.from({ length: 10 }, () => {
    const submit = world.submitting(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (chance.is(0.08)) throw new Crash();
    });
    const id = chance.pick(LEDGERS);
    const name = chance.pick(NAMES);
    if (chance.is(0.1)) return remove(submit, id);
    return chance.is(0.1)
      ? open(submit, name, idOf(`${seed} ${waiting.length}`))
      : rename(submit, name, id);
  });
  let left = works.length;
  const ends = works.map((work) =>
    work
      .catch((error: unknown) => {
        if (!(error instanceof Crash) && !(error instanceof Refusal)) throw error;
      })
      .finally(() => (left -= 1)),
  );
  while (left > 0) {
    const next = waiting.splice(chance.int(0, Math.max(0, waiting.length - 1)), 1)[0];
    next?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(ends);
  await world.resume();
  expect(await world.open(), `seed ${seed}`).to.deep.equal([]);
  expectSound(world, `seed ${seed}`);
}

/** Every live ledger has the one name it is called by, and nobody else has any. */
function expectSound(world: StepWorld, what: string): void {
  const owners = names(world);
  const { unsettled, renames } = world.organization(ORGANIZATION);
  expect([unsettled.size, renames.size], what).to.deep.equal([0, 0]);
  for (const [name, id] of owners) {
    expect(world.ledger(id).is, what).to.equal('live');
    const called = world.last(ledgerJournal(id), 'ledger')['name'] as string;
    expect(called.toLowerCase(), what).to.equal(name);
  }
  const named = new Set<Uuid>(owners.map(([, id]) => id));
  expect(named.size, what).to.equal(owners.length);
  for (const id of LEDGERS) {
    expect(named.has(id), what).to.equal(world.ledger(id).is === 'live');
  }
}

function expectNotFound(error: unknown): void {
  expect(error).to.be.instanceOf(Refusal).and.have.property('refusal', 'NOT_FOUND');
}
