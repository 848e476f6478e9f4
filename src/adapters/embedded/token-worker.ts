import { parentPort, workerData } from 'node:worker_threads';
import { openSecretsFile, truncateLog } from './secrets-file.ts';
import { inTransaction } from './sqlite.ts';
import { prepareTokenChanges, type TokenChange, type TokenChangeResult } from './token-changes.ts';

export type TokenWorkerData = Readonly<{ dir: string }>;
export type TokenWorkerRequest = readonly TokenChange[] | 'close';

/** The results of the changes in their order, each durable; those without one failed. */
export type TokenWorkerAnswer = Readonly<{
  results: readonly (TokenChangeResult | undefined)[];
  failure?: unknown;
}>;

const port = parentPort;
if (port === null) throw new Error('The token worker runs in a worker thread');
const { dir } = workerData as TokenWorkerData;
const db = openSecretsFile(dir);
const carryOut = prepareTokenChanges(db);

port.on('message', (request: TokenWorkerRequest) => {
  if (request !== 'close') {
    port.postMessage(commit(request));
    return;
  }
  db.close();
  port.close();
});

/** Commits all changes in one transaction, hence one flush to disk. */
function commit(changes: readonly TokenChange[]): TokenWorkerAnswer {
  let results: TokenWorkerAnswer['results'] = [];
  try {
    results = inTransaction(db, () => changes.map(carryOut));
    if (changes.some(isErasure)) truncateLog(db);
    return { results };
  } catch (failure) {
    // If they were committed, only the erasures failed: the write-ahead log still has what they erase.
    const kept = results.map((result, n) => (isErasure(changes[n]!) ? undefined : result));
    return { results: kept, failure };
  }
}

const isErasure = ({ kind }: TokenChange): boolean => kind === 'erase';
