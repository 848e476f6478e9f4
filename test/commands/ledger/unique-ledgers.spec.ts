import { expect } from 'chai';
import { deleteLedger } from '#commands/ledger/processes/close-ledger.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import type { LedgerChanges } from '#commands/ledger/records/ledger-record.ts';
import { changeLedger } from '#commands/ledger/processes/change-ledger.ts';
import { buildIndex } from '#commands/settings/processes/build-index.ts';
import { journalOfSettings } from '#commands/settings/settings.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import type { Metadata } from '#src/events/shared.ts';
import { createOrganization, idOf, LEDGER, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { chanceOf, runsOf, seedOfRun } from '#test/support/random.ts';
import { refused } from '#test/support/refused.ts';
import { Crash, interrupted, StepWorld } from '#test/support/step-world.ts';
import type { Submit } from '#src/journal/steps.ts';

const OTHER = idOf('other');
const ACTIVE = { code: 'ACTIVE', description: null };
const ORGANIZATION_JOURNAL = organizationJournal(ORGANIZATION);
const settings = journalOfSettings('default');

const open = (submit: Submit, name: string, id = LEDGER, metadata?: Metadata) =>
  openLedger(submit, {
    id,
    organizationId: ORGANIZATION,
    name,
    status: ACTIVE,
    ...(metadata && { metadata }),
  });
const change = (submit: Submit, changes: LedgerChanges, ledgerId = LEDGER) =>
  changeLedger(submit, { organizationId: ORGANIZATION, ledgerId }, changes);
const code =
  (value: string | null, ledgerId = LEDGER) =>
  (submit: Submit) =>
    change(submit, { metadata: { code: value } }, ledgerId);
const remove = (submit: Submit, ledgerId = LEDGER) =>
  deleteLedger(submit, { organizationId: ORGANIZATION, ledgerId }, false);
async function makeIndex(world: StepWorld, submit = world.submit): Promise<void> {
  const fields = { entityName: 'ledger', metadataKey: 'code', unique: true, sparse: true };
  const { events } = await submit(settings, { type: 'CreateMetadataIndex', fields });
  const { index } = events.at(-1)!.data;
  const steps = {
    submit,
    settled: async () => true,
    log: world.log,
    sleep: async () => {},
    elapsedMs: () => 0,
  };
  await buildIndex(steps, index, 'default');
}
const dropIndex = (submit: Submit) =>
  submit(settings, { type: 'DeleteMetadataIndex', entityName: 'ledger', metadataKey: 'code' });

async function founded(...codes: readonly (string | undefined)[]): Promise<StepWorld> {
  const world = new StepWorld();
  await world.submit({ name: ORGANIZATION_JOURNAL }, createOrganization());
  for (const [n, value] of codes.entries()) {
    const metadata = value === undefined ? undefined : { code: value };
    await open(world.submit, `Ledger ${n}`, [LEDGER, OTHER][n], metadata);
  }
  return world;
}
const ledgerIn = (world: StepWorld, id: Uuid) =>
  world.last(ledgerJournal(id), 'ledger') as unknown as LedgerRecord;
const codeOf = (world: StepWorld, id = LEDGER) => ledgerIn(world, id).metadata?.['code'];
const changesIn = (world: StepWorld) =>
  world.typesIn(ORGANIZATION_JOURNAL).filter((type) => type.includes('Meta'));

describe('values that ledgers of an organization do not share', () => {
  it('are the matter of a ledger’s own journal while nobody asks for them', async () => {
    const world = await founded('a', 'a');
    await change(world.submit, { metadata: { code: 'b' } });
    expect(changesIn(world)).to.deep.equal([]);
  });

  it('are refused to a second ledger, when it is created and when it is changed', async () => {
    const world = await founded('a', undefined);
    await makeIndex(world);
    const third = idOf('third');
    expect(await refused(open(world.submit, 'Third', third, { code: 'a' }))).to.equal(
      'INDEX_CONFLICT',
    );
    expect(await refused(code('a', OTHER)(world.submit))).to.equal('INDEX_CONFLICT');
    expect(codeOf(world, OTHER)).to.equal(undefined);
    await open(world.submit, 'Third', third, { code: 'c' });
    expect(await refused(code('c', OTHER)(world.submit))).to.equal('INDEX_CONFLICT');
    await code('b', OTHER)(world.submit);
    expect(await refused(code('b')(world.submit))).to.equal('INDEX_CONFLICT');
    expect(await world.open()).to.deep.equal([]);
  });

  const ways: Readonly<Record<string, (submit: Submit) => Promise<unknown>>> = {
    'has another value': code('z'),
    'has none': code(null),
    'has no metadata': (submit) => change(submit, { metadata: null }),
    'has another value and name': (submit) =>
      change(submit, { name: 'New', metadata: { code: 'z' } }),
    'has another value and its name in capitals': (submit) =>
      change(submit, { name: 'LEDGER 0', metadata: { code: 'z' } }),
    'is deleted': remove,
  };
  for (const [what, work] of Object.entries(ways)) {
    it(`are free when the ledger ${what}, wherever that is interrupted`, async () => {
      for (let steps = 0; ; steps += 1) {
        const world = await founded('a', 'b');
        await makeIndex(world);
        const ended = await interrupted(world, steps, work);
        await world.resume();
        expect(await world.open(), `${steps} steps`).to.deep.equal([]);
        const { is } = world.ledger(LEDGER);
        const hasIt = is === 'live' && codeOf(world) === 'a';
        const outcome = await code('a', OTHER)(world.submit).catch((error: unknown) => error);
        if (hasIt) expect(outcome).to.have.property('refusal', 'INDEX_CONFLICT');
        else expect(codeOf(world, OTHER), `${steps} steps`).to.equal('a');
        if (ended) {
          expect(hasIt).to.equal(false);
          break;
        }
      }
    });
  }

  it('leave a ledger alone that repeats its own, or changes something else', async () => {
    const world = await founded('a');
    await makeIndex(world);
    const before = changesIn(world);
    await change(world.submit, { name: 'LEDGER 0', metadata: { code: 'a', more: 1 } });
    expect(changesIn(world)).to.deep.equal(before);
    await change(world.submit, { name: 'New', metadata: { more: 2 } });
    expect(await refused(open(world.submit, 'Other', OTHER, { code: 'a' }))).to.equal(
      'INDEX_CONFLICT',
    );
  });

  it('apply the whole change, or none of it', async () => {
    const world = await founded('a', 'b');
    await makeIndex(world);
    const status = { code: 'INACTIVE', description: null };
    const refusal = change(world.submit, { name: 'New', status, metadata: { code: 'b' } });
    expect(await refused(refusal)).to.equal('INDEX_CONFLICT');
    expect(ledgerIn(world, LEDGER)).to.deep.include({ name: 'Ledger 0', status: ACTIVE });
    const { ledger } = await change(world.submit, {
      name: 'LEDGER 0',
      status,
      metadata: { code: 'c' },
    });
    expect(ledger).to.deep.include({ name: 'LEDGER 0', status, metadata: { code: 'c' } });
    expect(ledgerIn(world, LEDGER)).to.deep.equal(ledger);
  });

  it('count as they are when an index is made, whatever an earlier one was told', async () => {
    const world = await founded('a', 'b');
    await makeIndex(world);
    await dropIndex(world.submit);
    await code('c')(world.submit);
    await code('a', OTHER)(world.submit);
    await makeIndex(world);
    expect(await refused(code('a')(world.submit))).to.equal('INDEX_CONFLICT');
    await code('b')(world.submit);
    await dropIndex(world.submit);
    await code('b', OTHER)(world.submit);
    expect(await refused(makeIndex(world))).to.equal('INDEX_CONFLICT');
    expect(world.settings().indexes.size).to.equal(0);
    await remove(world.submit, OTHER);
    await makeIndex(world);
  });

  it('are seen in a ledger whose creation or change is interrupted when the index is made', async () => {
    for (const steps of [1, 2]) {
      const world = await founded('a', 'b');
      await interrupted(world, steps, (submit) =>
        open(submit, 'Third', idOf('third'), { code: 'x' }),
      );
      await interrupted(world, 2, (submit) =>
        change(submit, { name: 'New', metadata: { code: 'y' } }),
      );
      await makeIndex(world);
      expect(await world.open()).to.deep.equal([]);
      expect(await refused(code('x', OTHER)(world.submit))).to.equal('INDEX_CONFLICT');
      expect(await refused(code('y', OTHER)(world.submit))).to.equal('INDEX_CONFLICT');
      await code('a', OTHER)(world.submit);
    }
  });

  it('of many changes at once, interleaved and interrupted as chance will have it, are kept apart', async function () {
    this.timeout(30_000);
    const first = seedOfRun(20_261_122);
    for (let seed = first; seed < first + RUNS; seed += 1) await play(seed);
  });
});

const RUNS = runsOf(300);
const LEDGERS = [idOf('one'), idOf('two'), idOf('three')];
const VALUES = ['a', 'b', 'c', 'd'];

/** Each works until it ends, is refused, or its process dies; then a start finishes what was begun. */
async function play(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const world = await founded();
  for (const [n, id] of LEDGERS.entries()) {
    await open(world.submit, `Ledger ${n}`, id, chance.is(0.5) ? { code: VALUES[n]! } : undefined);
  }
  if (chance.is(0.5)) await makeIndex(world);

  const waiting: (() => void)[] = [];
  const works = Array.from({ length: 12 }, (_, n) => {
    const submit = world.submitting(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (chance.is(0.05)) throw new Crash();
    });
    const id = chance.pick(LEDGERS);
    const value = chance.is(0.2) ? null : chance.pick(VALUES);
    if (n < 2) return makeIndex(world, submit);
    if (n === 2) return dropIndex(submit);
    if (chance.is(0.1)) return remove(submit, id);
    if (chance.is(0.1)) {
      return open(submit, `New ${n}`, idOf(`${seed} ${n}`), { code: value ?? 'a' });
    }
    const name = chance.is(0.3) ? { name: chance.pick(['A', 'a', 'B']) } : {};
    return change(submit, { ...name, metadata: { code: value } }, id);
  });
  let left = works.length;
  const ends = works.map((work) =>
    (work as Promise<unknown>)
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
  expect(
    (await world.open()).filter((key) => !isBuilding(world, key)),
    `seed ${seed}`,
  ).to.deep.equal([]);
  await expectApart(world, `seed ${seed}`);
}

const isBuilding = (world: StepWorld, id: string): boolean =>
  [...world.settings().indexes.values()].some((index) => index.id === id && index.building);

/** No two live ledgers have a value while an index says so; what nobody has may be taken, and nothing else. */
async function expectApart(world: StepWorld, what: string): Promise<void> {
  const [index] = world.settings().indexes.values();
  if (index === undefined || index.building) return;
  const ids = world
    .journals('ledger')
    .map((name) => name.slice('ledger-'.length) as Uuid)
    .filter((id) => world.ledger(id).is === 'live');
  const values = ids.map((id) => codeOf(world, id)).filter((value) => value !== undefined);
  expect(new Set(values).size, `${what}: ${values.join()}`).to.equal(values.length);
  const taker = ids[0];
  if (taker === undefined) return;
  for (const value of VALUES) {
    const isTaken = ids.some((id) => id !== taker && codeOf(world, id) === value);
    const outcome = await code(value, taker)(world.submit).catch((error: unknown) => error);
    expect(outcome instanceof Refusal, `${what}: ${value}`).to.equal(isTaken);
  }
}
