import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { listenForPeers } from '#src/adapters/peers/peer-listener.ts';
import { PeerLink } from '#src/adapters/peers/peer-link.ts';
import { sharedPeerKey } from '#src/adapters/peers/psk.ts';
import { systemRandomBytes, systemScheduler } from '#src/adapters/system.ts';
import { ownerAmong } from '#src/kernel/rendezvous.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { Log } from '#src/ports/log.ts';
import type { AnswerPeer, Peers } from '#src/ports/peers.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { announceProcess, type LiveProcess } from '#src/runtime/live-processes.ts';
import { about } from './about.ts';
import type { PeerSettings } from './settings.ts';

/** The live API processes of one log, as this one sees them. */
export type PeerGroup = Peers &
  Readonly<{
    report: () => PeerReport;
    /** Makes the other processes decide what this one owns; what they sent before is still answered. */
    withdraw(): Promise<void>;
    stop(): Promise<void>;
  }>;

export type PeerReport = Readonly<{
  /** The number of other processes with which this one shares journals. */
  peers: number;
  /** The number of commands that were sent to their owners. */
  forwarded: number;
}>;

type PeerGroupOptions = Readonly<{
  settings: PeerSettings;
  messages: ClusterMessages;
  secrets: Pick<SecretStore, 'get' | 'compareAndSet'>;
  logId: string;
  /** Answers what other processes send. */
  answer: AnswerPeer;
  log: Pick<Log, 'info'>;
}>;

/**
 * Joins the API processes of a log. The owner of a journal is chosen by rendezvous hash among this process and those to
 * which it has a connection. Processes that disagree for a moment both write the journal, which is slow and correct.
 * Errors: Unavailable; those of listening.
 */
export async function joinPeers(options: PeerGroupOptions): Promise<PeerGroup> {
  const { settings, messages, logId, log } = options;
  const id = randomUUID();
  const key = await sharedPeerKey(options.secrets, logId, systemRandomBytes);
  const { host, port: wanted } = settings;
  const listener = await listenForPeers({ host, port: wanted, id, key, answer: options.answer });
  const self: LiveProcess = {
    ...{ id, host: settings.address ?? reachableAddress(host), port: listener.port },
    release: `${about.programVersion} ${about.commit}`,
  };
  const links = new Map<string, PeerLink>();
  /** The owners of journals until a process comes or goes; null for this one. */
  let owners = new Map<string, PeerLink | null>();
  let forwarded = 0;
  let leaving: Promise<void> | undefined;

  const ready = (): string[] => [...links].filter(([, one]) => one.isReady).map(([name]) => name);

  const connect = ({ id: other, host, port }: LiveProcess): void => {
    let wasReady = false;
    const link = new PeerLink({
      ...{ address: { host, port }, id: other, key },
      onChange() {
        owners = new Map();
        if (link.isReady === wasReady) return;
        wasReady = link.isReady;
        log.info(`${wasReady ? 'Sharing' : 'No longer sharing'} journals with ${host}:${port}`);
      },
    });
    links.set(other, link);
  };

  const presence = announceProcess({
    ...{ messages, logId, scheduler: systemScheduler, self },
    onLook(others) {
      const alive = new Set(others.map((other) => other.id));
      for (const [name, link] of links) {
        if (!alive.has(name) && !link.isLeaving) link.close();
        if (link.isLost) links.delete(name);
      }
      for (const other of others) if (!links.has(other.id)) connect(other);
    },
  });

  const ownerOf = (journal: string): PeerLink | undefined => {
    if (links.size === 0) return undefined;
    let owner = owners.get(journal);
    if (owner === undefined) {
      const name = ownerAmong(journal, leaving ? ready() : [id, ...ready()]);
      owner = (name === undefined ? undefined : links.get(name)) ?? null;
      if (owners.size >= OWNERS_MAX) owners = new Map();
      owners.set(journal, owner);
    }
    if (owner !== null) forwarded += 1;
    return owner ?? undefined;
  };

  const withdraw = (): Promise<void> => {
    if (leaving !== undefined) return leaving;
    listener.leave(); // Peers must know before they miss its announcement, which would count as its death.
    leaving = presence.withdraw();
    owners = new Map();
    return leaving;
  };

  return {
    ownerOf,
    report: () => ({ peers: ready().length, forwarded }),
    withdraw,
    async stop() {
      await withdraw();
      await presence.stop();
      await listener.close();
      for (const link of links.values()) link.close();
    },
  };
}

/** Returns an address of this machine that others can use, if a process listens on all of them. */
function reachableAddress(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host;
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal);
  return (external.find(({ family }) => family === 'IPv4') ?? external[0])?.address ?? '127.0.0.1';
}

const OWNERS_MAX = 50_000;
