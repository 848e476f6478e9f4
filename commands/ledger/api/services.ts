import type { FeeRules } from '#commands/ledger/transaction/commands.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from '#src/http/concurrency-limit.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

type LedgerApiSettings = ReturnType<typeof readSettings>;

/** The services that handlers of the ledger's API use in addition to those of every API. */
export type LedgerServices = Readonly<{
  /** True if organizations and ledgers cannot be deleted. */
  inProduction: boolean;
  /** The largest number of transactions in one batch of version 2. */
  batchSizeMax: number;
  batches: ConcurrencyLimit;
  /** False if transactions of version 1 are posted without fees. */
  feesOnV1: boolean;
}>;

export const readSettings = (reader: SettingReader) => ({
  envName: reader.text('ENV_NAME', 'development'),
  transactionBatchMaxSize: reader.integer('TRANSACTION_BATCH_MAX_SIZE', 10, 1, 50),
  feesApplyOnV1: reader.flag('FEES_APPLY_ON_V1', true),
});

export const createServices = (settings: LedgerApiSettings): LedgerServices => ({
  inProduction: settings.envName === 'production',
  batchSizeMax: settings.transactionBatchMaxSize,
  feesOnV1: settings.feesApplyOnV1,
  batches: createConcurrencyLimit({
    bytesMax: 160 * 1024, // What is made of them, some 60 times as much, dies young: it fits into the young generation.
    waitingMax: 128, // Each of up to 8 MiB.
    waitMsMax: 30_000,
    tasks: 'batches',
  }),
});

/** The start of the server sets them under this name. */
export const ledgerServices = ({ components }: Pick<Services, 'components'>): LedgerServices =>
  components['ledger'] as LedgerServices;

/** The rules by which the fees of a new transaction are charged; undefined if it is posted without them. */
export function feeRulesOf(
  { version }: Pick<Request, 'version'>,
  services: Pick<Services, 'components'>,
): FeeRules | undefined {
  if (version === 2) return 2;
  return ledgerServices(services).feesOnV1 ? 1 : undefined;
}
