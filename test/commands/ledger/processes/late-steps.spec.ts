import { expect } from 'chai';
import { changeLedger } from '#commands/ledger/processes/change-ledger.ts';
import { deleteLedger } from '#commands/ledger/processes/close-ledger.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { Submit } from '#src/journal/steps.ts';
import { createOrganization, idOf, LEDGER, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { bulky } from '#test/support/metadata-samples.ts';
import { everyLateStep, type LateSteps } from '#test/support/late-steps.ts';
import { StepWorld } from '#test/support/step-world.ts';

type Work = (submit: Submit, attempt: number) => Promise<unknown>;
type Story = Readonly<{
  work: Work;
  /** The work of another request, right before the command that goes wrong; without it, the same work is done twice. */
  other?: Work;
  /** The outcomes that may be in the end, and the names that may be taken then. */
  ends: readonly string[];
  names: readonly string[];
}>;

const path = { organizationId: ORGANIZATION, ledgerId: LEDGER };
const open: Work = (submit, attempt) => {
  const id = attempt === 0 ? LEDGER : idOf(`ledger ${attempt}`);
  const status = { code: 'ACTIVE', description: null };
  return openLedger(submit, { id, organizationId: ORGANIZATION, name: 'Retail', status });
};
const change =
  (name: string, metadata = {}): Work =>
  (submit) =>
    changeLedger(submit, path, { name, metadata });
const remove: Work = (submit) => deleteLedger(submit, path, false);

const STORIES: Readonly<Record<string, Story>> = {
  'a creation': { work: open, ends: ['done', 'LEDGER_NAME_TAKEN'], names: ['retail'] },
  'a rename': { work: change('Shops'), ends: ['done'], names: ['shops'] },
  'a rename beside another': {
    ...{ work: change('Shops'), other: change('Stores') },
    ...{ ends: ['done'], names: ['shops'] },
  },
  'a change that may be too large': {
    ...{ work: change('Shops', bulky(50)), other: change('Retail', bulky()) },
    ...{ ends: ['done', 'TOO_LARGE'], names: ['shops', 'retail'] },
  },
  'a rename beside a deletion': {
    ...{ work: change('Shops'), other: remove },
    ...{ ends: ['done', 'NOT_FOUND'], names: ['shops', ''] },
  },
  'a deletion': { work: remove, ends: ['done', 'NOT_FOUND'], names: [''] },
  'a deletion beside a rename': {
    ...{ work: remove, other: change('Stores') },
    ...{ ends: ['done', 'NOT_FOUND'], names: [''] },
  },
};

describe('changes of ledgers whose steps are written late or without a response', function () {
  this.timeout(60_000);
  for (const [what, story] of Object.entries(STORIES)) {
    for (const course of ['resumed', 'repeated', 'overtaken'] as const) {
      it(`${what}, ${course}, comes to its end and leaves no name taken`, async () => {
        expect(await everyLateStep((late) => play(story, course, late))).to.be.above(5);
      });
    }
  }
});

async function play(
  { work, other = work, ends, names }: Story,
  course: 'resumed' | 'repeated' | 'overtaken',
  late: LateSteps,
): Promise<boolean> {
  const world = new StepWorld();
  await world.submit({ name: organizationJournal(ORGANIZATION) }, createOrganization());
  let attempts = 0;
  if (work !== open) await open(world.submit, attempts);
  const attempt = (submit: Submit, one = work): Promise<string> =>
    one(submit, (attempts += 1)).then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof Refusal) return error.refusal;
        throw error;
      },
    );

  if (course === 'overtaken') late.before = () => attempt(world.submit, other);
  expect([...ends, 'UNAVAILABLE']).to.include(await attempt(late.wrap(world.submit)));
  if (course === 'resumed') await world.resume();
  expect([...ends, 'UNAVAILABLE']).to.include(await attempt(late.wrap(world.submit)));
  const { came } = late;

  await late.land();
  await world.resume();
  expect(ends, 'in the end').to.include(await attempt(world.submit));
  expect(await world.open()).to.deep.equal([]);
  const taken = [...world.organization(ORGANIZATION).ledgerNames];
  expect(names).to.include(taken.map(([name]) => name).join());
  for (const [name, id] of taken) {
    expect(world.ledger(id).is).to.equal('live');
    expect(String(world.last(ledgerJournal(id), 'ledger')['name']).toLowerCase()).to.equal(name);
  }
  return came;
}
