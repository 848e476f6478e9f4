import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

export type Options = Readonly<{
  label: string;
  only: ReadonlySet<string>;
  seconds: number;
  warmUpSeconds: number;
  connections: number;
  accounts: number;
  /** Accounts opened to see what one of them costs, and accounts of the ledger that grows. */
  manyAccounts: number;
  /** What the growth scenario grows its ledger to, and from when on memory must stay flat. */
  growTo: number;
  growFrom: number;
  starts: number;
  /** How often product and references take turns. */
  turns: number;
  /** A run is void if others took a larger part of the processors. */
  othersMaxPercent: number;
  /** What is measured: another checkout or a build can be named. */
  main: string;
  /** Where processor profiles of all servers go; '' for none. They cost some of the speed. */
  profile: string;
  /** Letters of the distributed stages to run. */
  stages: string;
  /** Where data folders are made: the disk under test. */
  folder: string;
}>;

export const SCENARIOS = [
  'ceiling',
  'start',
  'uniform',
  'hot',
  'zipf',
  'postgres',
  'batch',
  'half-load',
  'reads',
  'restart',
  'memory',
  'growth',
  'distributed',
  'streaming',
  'fees',
  'holders',
  'access',
] as const;

export type Scenario = (typeof SCENARIOS)[number];

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const shape = values.full === true ? FULL : values.quick === true ? QUICK : USUAL;
  const number = (text: string | undefined, otherwise: number): number => {
    const given = Number(text ?? otherwise);
    if (!Number.isSafeInteger(given) || given < 1) throw new Error(`Not a count: ${text ?? ''}`);
    return given;
  };
  return {
    label: values.label ?? shape.label,
    only: onlyThese(values.only, values.full === true),
    seconds: number(values.seconds, shape.seconds),
    warmUpSeconds: number(values['warm-up'], shape.warmUpSeconds),
    connections: number(values.connections, 64),
    accounts: number(values.accounts, 10_000),
    manyAccounts: number(values['many-accounts'], shape.manyAccounts),
    growTo: number(values['grow-to'], shape.growTo),
    growFrom: number(
      values['grow-from'],
      Math.min(1_000_000, number(values['grow-to'], shape.growTo) / 2),
    ),
    starts: shape.starts,
    turns: shape.turns,
    othersMaxPercent: number(values['others-max'], 5),
    main: values.main ?? 'src/main.ts',
    profile: values.profile ?? '',
    stages: values.stages ?? 'abcde',
    folder: values.folder ?? tmpdir(),
  };
}

export const USAGE = `npm run bench -- [--quick | --full] [--only ${SCENARIOS.join(',')}]
  [--label text] [--seconds n] [--warm-up n] [--connections n] [--accounts n]
  [--many-accounts n]   [--grow-from n] [--grow-to n] [--folder path] [--main path] [--profile path]
  [--stages abcde] [--others-max percent]`;

const FLAGS = {
  quick: { type: 'boolean' },
  full: { type: 'boolean' },
  only: { type: 'string' },
  label: { type: 'string' },
  seconds: { type: 'string' },
  'warm-up': { type: 'string' },
  connections: { type: 'string' },
  accounts: { type: 'string' },
  'many-accounts': { type: 'string' },
  'grow-from': { type: 'string' },
  'grow-to': { type: 'string' },
  stages: { type: 'string' },
  'others-max': { type: 'string' },
  folder: { type: 'string' },
  main: { type: 'string' },
  profile: { type: 'string' },
} as const;

const USUAL = {
  label: 'usual',
  seconds: 20,
  warmUpSeconds: 30,
  manyAccounts: 100_000,
  growTo: 200_000,
  starts: 3,
  turns: 3,
};
const QUICK = {
  ...USUAL,
  label: 'quick',
  seconds: 5,
  warmUpSeconds: 5,
  manyAccounts: 20_000,
  starts: 1,
};
const FULL = { ...USUAL, label: 'full', growTo: 3_000_000 };

const ON_SERVERS: ReadonlySet<string> = new Set<Scenario>(['distributed', 'streaming']);

function onlyThese(text: string | undefined, full: boolean): ReadonlySet<string> {
  if (text === undefined) {
    return new Set(
      SCENARIOS.filter((name) => !ON_SERVERS.has(name) && (full || name !== 'growth')),
    );
  }
  const names = text.split(',');
  for (const name of names) {
    if (!(SCENARIOS as readonly string[]).includes(name)) throw new Error(`No scenario ${name}.`);
  }
  return new Set(names);
}
