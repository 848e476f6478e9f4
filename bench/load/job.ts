/** What one run of the load generator shall do. Travels as JSON on its command line. */
export type Job = Readonly<{
  port: number;
  connections: number;
  /** Seconds that are driven but not measured. */
  warmUpSeconds: number;
  /** Seconds that are measured; left out when `count` ends the run. */
  seconds?: number;
  /** Ends the run after so many requests, all of them measured. */
  count?: number;
  /** Requests per second, evenly spaced. Left out: a closed loop, each answer starts the next request. */
  rate?: number;
  /** Distinguishes the requests of this run from those of every other run on the same ledger. */
  run: number;
  work: Work;
}>;

export type Work =
  | (TransferWork & Readonly<{ kind: 'transfer' | 'charged-transfer' | 'reference' }>)
  | BatchWork
  | (LedgerWork & Readonly<{ kind: 'open-accounts' }>)
  | Readonly<{ kind: 'create-holders'; organizationPath: string }>
  | (LedgerWork & Readonly<{ kind: 'fund'; amount: string }>)
  | (LedgerWork & Readonly<{ kind: 'balance'; accounts: number }>)
  /** Pages of transactions; the paths take turns. */
  | Readonly<{ kind: 'page'; paths: readonly string[]; items: number }>;

type LedgerWork = Readonly<{ ledgerPath: string }>;

export type TransferWork = LedgerWork &
  Readonly<{
    accounts: number;
    distribution: Distribution;
    /** Sent as the bearer token. */
    token?: string;
  }>;

export type BatchWork = TransferWork &
  Readonly<{
    kind: 'batch';
    /** Transfers a request. */
    size: number;
    atomic: boolean;
  }>;

export type Distribution = 'uniform' | 'zipf' | 'hot';

/** What a run found. Times in milliseconds. */
export type Report = Readonly<{
  /** Requests issued, warm-up included; a repeat of a refused one is not another request. */
  issued: number;
  /** Answers with the wanted status, warm-up included; of a batch, its accepted items. */
  wanted: number;
  /** Those that arrived in the measured window. */
  measured: number;
  /** Items of batches that were told to come later. */
  busyItems: number;
  seconds: number;
  perSecond: number;
  /** Of the measured window; a paced run counts from the moment the request was due. */
  latencyMs: Latency;
  /** Wanted answers in each second of the window: stalls show here. */
  series: readonly number[];
  statuses: Readonly<Record<string, number>>;
  /** Answers 429 and 503 that were repeated with the same key after the time the server asked for. */
  repeats: number;
  /** Requests that never got an answer. */
  unanswered: number;
  /** Answers that were not their request's own, or not what was wanted. */
  faults: Readonly<{ count: number; samples: readonly string[] }>;
  answerBytes: number;
  /** Processor time the generator itself spent per request. */
  generatorMicros: number;
}>;

export type Latency = Readonly<{
  mean: number;
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
}>;
