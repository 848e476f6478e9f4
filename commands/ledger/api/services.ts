import { createConcurrencyLimit, type ConcurrencyLimit } from '#src/http/concurrency-limit.ts';
import type { Services } from '#src/http/services.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

type LedgerApiSettings = ReturnType<typeof readSettings>;

/** Handlers of the ledger's API use these beyond what every API is given. */
export type LedgerServices = Readonly<{
  /** Organizations and ledgers cannot be deleted. */
  inProduction: boolean;
  /** The largest number of transactions in one batch of version 2. */
  batchSizeMax: number;
  batches: ConcurrencyLimit;
}>;

export const readSettings = (reader: SettingReader) => ({
  envName: reader.text('ENV_NAME', 'development'),
  transactionBatchMaxSize: reader.integer('TRANSACTION_BATCH_MAX_SIZE', 10, 1, 50),
});

export const createServices = (settings: LedgerApiSettings): LedgerServices => ({
  inProduction: settings.envName === 'production',
  batchSizeMax: settings.transactionBatchMaxSize,
  batches: createConcurrencyLimit({
    runningMax: 8, // One append takes no more of them.
    waitingMax: 128, // Of up to 8 MiB each.
    tasks: 'batches',
  }),
});

/** Start puts them there under this name. */
export const ledgerServices = ({ components }: Pick<Services, 'components'>): LedgerServices =>
  components['ledger'] as LedgerServices;
