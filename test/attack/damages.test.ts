import { expect } from 'chai';
import { asRun, Host } from '#test/support/hosted-server.ts';
import { seedOfRun } from '#test/support/random.ts';
import { launchServer, removeFolder, stopServer } from '#test/support/server.ts';
import { inLanes } from './damages/asking.ts';
import { makeBank, type Bank } from './damages/bank.ts';
import type { DamagedFile } from './damages/damage.ts';
import { playRound, type Outcome, type Plan, type Start } from './damages/round.ts';
import { describeFlaws, tableOf } from './damages/report.ts';

/* DAMAGE=index/17 SEED=… plays one round again. */
const DAMAGES = Number(process.env['DAMAGES'] ?? 300);
const SEED = seedOfRun(13);
const ONLY = process.env['DAMAGE'];

/** What is derived is never trusted further than the log confirms. */
describe('a data folder that is damaged', function () {
  this.timeout(60_000 + DAMAGES * 10_000);

  let bank: Bank;
  before(async () => {
    bank = await makeBank(SEED);
  });
  after(() => {
    const { stopped, killed, older, olderFolded, foreign, foreignRaw } = bank;
    for (const dir of [stopped, killed, older, olderFolded, foreign, foreignRaw]) removeFolder(dir);
  });

  const story = (files: readonly DamagedFile[], from: number, to: number, start?: Start): void => {
    const name = `${files.join(' and ')}, ${to - from} times${start === undefined ? '' : ', as processes'}`;
    it(`answers as before or refuses to start: ${name} (seed ${SEED})`, async () => {
      const plans: Plan[] = [];
      for (let number = from; number < to; number += 1) plans.push({ seed: SEED, files, number });
      const isChosen = ({ number }: Plan) => !ONLY || ONLY === `${files.join('+')}/${number}`;
      const outcomes = await playAll(bank, plans.filter(isChosen), start);
      console.log(tableOf(outcomes));
      expect(describeFlaws(outcomes)).to.equal('');
    });
  };

  const [real, alone] = [Math.ceil(DAMAGES / 15), Math.ceil(DAMAGES / 3)];
  story(['log'], 0, DAMAGES - real);
  story(['log'], DAMAGES - real, DAMAGES, asProcess);
  for (const file of ['index', 'read', 'snapshots'] as const) {
    story([file], 0, alone - real);
    story([file], alone - real, alone, asProcess);
  }
  story(['index', 'read', 'snapshots'], 0, DAMAGES - alone); // What leans on one another must not hide a flaw either.
});

async function playAll(bank: Bank, plans: readonly Plan[], start?: Start): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const hosts = Array.from({ length: LANES }, () => new Host());
  try {
    await inLanes(plans, LANES, async (plan, lane) => {
      const hosted: Start = (dir) => hosts[lane]!.start(dir);
      outcomes.push(await playRound(bank, plan, start ?? hosted));
    });
  } finally {
    for (const host of hosts) host.close();
  }
  return outcomes;
}

/** As `npm start` runs it. */
async function asProcess(dataDir: string): ReturnType<Start> {
  const server = await launchServer({ dataDir });
  const isReady = await server.ready().then(
    () => true,
    () => false,
  );
  return asRun(server, isReady, () => stopServer(server));
}

const LANES = 2;
