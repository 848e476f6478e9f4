import type { Server } from '#test/support/server.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { openLedger, type Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import { checkMoney, type Posted } from './money.ts';
import { checkPublished, type Delivery } from './published.ts';
import { startReader, type Reader } from './reader.ts';

/** A cluster for each story of the block it is called in, and somebody who reads its topics meanwhile. */
export type Stage = Readonly<{
  cluster: Cluster;
  /** A ledger with money; from here on the topics are read. A relay must run. */
  open(server: Server): Promise<Readonly<{ ledger: Ledger; reader: Reader }>>;
  /** The money and what was published, by equality, once everything has been acknowledged. */
  check(server: Server, load: Load): Promise<Delivery & Readonly<{ journal: readonly Posted[] }>>;
}>;

export function stageOfStory(): () => Stage {
  let cluster: Cluster | undefined;
  let ledger: Ledger | undefined;
  let reader: Reader | undefined;
  beforeEach(async () => {
    cluster = await startCluster();
  });
  afterEach(async () => {
    await reader?.stop();
    await cluster?.remove();
    [cluster, ledger, reader] = [undefined, undefined, undefined];
  });
  return () => {
    if (cluster === undefined) throw new Error('The cluster is started by a beforeEach hook');
    const own = cluster;
    return {
      cluster: own,
      async open(server) {
        ledger = await openLedger(server);
        reader = await startReader(Object.values(own.topics));
        return { ledger, reader };
      },
      async check(server, load) {
        if (ledger === undefined || reader === undefined) throw new Error('Nothing is open');
        const journal = await checkMoney(server, ledger, load);
        return { journal, ...(await checkPublished(reader, own, journal)) };
      },
    };
  };
}
