/** A line of design §8. `bar` and `stretch` are left out where the design sets none. */
export type FigureDefinition = Readonly<{
  what: string;
  unit: string;
  better: 'higher' | 'lower';
  bar?: number;
  stretch?: number;
}>;

/** Everything the bench reports, in the order of the table. */
export const FIGURES = {
  ceilingPerSecond: { what: 'generator against a bare echo', unit: '/s', better: 'higher' },
  referencePerSecond: { what: 'plain Express 5, validate and echo', unit: '/s', better: 'higher' },
  uniformPerSecond: { what: 'transfer, uniform', unit: '/s', better: 'higher' },
  hotPerSecond: { what: 'transfer, one hot account', unit: '/s', better: 'higher' },
  zipfPerSecond: { what: 'transfer, zipf 1.05', unit: '/s', better: 'higher' },
  zipfSustainedPerSecond: {
    what: 'the same, over the time until reads had caught up',
    unit: '/s',
    better: 'higher',
  },
  zipfOverReference: {
    what: 'transfer, zipf ÷ Express echo',
    unit: '×',
    better: 'higher',
    bar: 0.35,
    stretch: 0.6,
  },
  floorPerSecond: { what: 'the same in PL/pgSQL, the floor', unit: '/s', better: 'higher' },
  zipfOverFloor: {
    what: 'transfer, zipf ÷ PL/pgSQL floor',
    unit: '×',
    better: 'higher',
    bar: 2,
    stretch: 4,
  },
  pgledgerPerSecond: {
    what: 'the same in PostgreSQL, pgledger-style',
    unit: '/s',
    better: 'higher',
  },
  zipfOverPgledger: {
    what: 'transfer, zipf ÷ pgledger-style',
    unit: '×',
    better: 'higher',
    bar: 6,
    stretch: 10,
  },
  hotOverUniform: {
    what: 'hot account ÷ uniform',
    unit: '×',
    better: 'higher',
    bar: 0.9,
    stretch: 1,
  },
  halfLoadP99Ms: { what: 'p99 at half load', unit: 'ms', better: 'lower', bar: 15, stretch: 8 },
  halfLoadLagP99Ms: {
    what: 'projection lag p99 at half load',
    unit: 'ms',
    better: 'lower',
    bar: 250,
    stretch: 100,
  },
  ownWriteMs: { what: 'own write, from 201 until read', unit: 'ms', better: 'lower' },
  batchPerSecond: {
    what: 'transfers in batches of 100, per item',
    unit: '/s',
    better: 'higher',
    bar: 40_000,
    stretch: 100_000,
  },
  atomicBatchPerSecond: { what: 'the same, atomic', unit: '/s', better: 'higher' },
  batchDrainMs: { what: 'until reads had caught up with the burst', unit: 'ms', better: 'lower' },
  besidePerSecond: { what: 'distributed (a): embedded, beside it', unit: '/s', better: 'higher' },
  farLogPerSecond: { what: '(b): log on a server, reads embedded', unit: '/s', better: 'higher' },
  distributedPerSecond: {
    what: '(c): log and reads on servers',
    unit: '/s',
    better: 'higher',
    bar: 5000,
    stretch: 10_000,
  },
  distributedOverBeside: { what: '(c) ÷ (a)', unit: '×', better: 'higher' },
  farHalfLoadP99Ms: { what: '(c): p99 at half load', unit: 'ms', better: 'lower' },
  farHalfLoadLagP99Ms: {
    what: '(c): projection lag p99 at half load',
    unit: 'ms',
    better: 'lower',
  },
  farOwnWriteMs: { what: '(c): own write, from 201 until read', unit: 'ms', better: 'lower' },
  relayedPerSecond: { what: '(d): (c) and a relay to Kafka', unit: '/s', better: 'higher' },
  splitPerSecond: { what: '(d), its roles split', unit: '/s', better: 'higher' },
  twoApisPerSecond: { what: '(e): (c) by two processes', unit: '/s', better: 'higher' },
  twoApisOverOne: { what: '(e) ÷ (c)', unit: '×', better: 'higher', bar: 0.3 },
  smallerShare: { what: '(e): part of the slower process', unit: '×', better: 'higher' },
  balancePerSecond: {
    what: 'balance by alias',
    unit: '/s',
    better: 'higher',
    bar: 8000,
    stretch: 15_000,
  },
  pagePerSecond: {
    what: 'page of 100 transactions',
    unit: '/s',
    better: 'higher',
    bar: 500,
    stretch: 1500,
  },
  depthOverFirst: {
    what: 'cursor page at depth ÷ first page',
    unit: '×',
    better: 'lower',
    bar: 2,
    stretch: 1.2,
  },
  startEmptyMs: {
    what: 'start to first 201, empty folder',
    unit: 'ms',
    better: 'lower',
    bar: 1500,
    stretch: 700,
  },
  startHistoryMs: {
    what: 'start to first 201, with history and snapshot',
    unit: 'ms',
    better: 'lower',
    bar: 3000,
    stretch: 1000,
  },
  startAfterKillMs: { what: 'the same after kill -9', unit: 'ms', better: 'lower' },
  replayPerSecond: {
    what: 'replay of a journal into state',
    unit: 'events/s',
    better: 'higher',
    bar: 200_000,
    stretch: 500_000,
  },
  rebuildPerSecond: {
    what: 'rebuild of the read models',
    unit: 'transfers/s',
    better: 'higher',
    bar: 20_000,
    stretch: 50_000,
  },
  idleRssMb: { what: 'memory, idle', unit: 'MB', better: 'lower', bar: 150 },
  loadedRssMb: { what: 'memory after the zipf run', unit: 'MB', better: 'lower' },
  accountBytes: { what: 'heap per account', unit: 'bytes', better: 'lower', bar: 600 },
  grownBytes: { what: 'heap per transaction while it grows', unit: 'bytes', better: 'lower' },
  grownHeapRatio: { what: 'heap at the end of growth ÷ before', unit: '×', better: 'lower' },
} as const satisfies Readonly<Record<string, FigureDefinition>>;

export type FigureId = keyof typeof FIGURES;
