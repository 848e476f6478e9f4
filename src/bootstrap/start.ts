import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { accessServices } from '#commands/access/processes/services.ts';
import { destroyUnusedCredentials } from '#commands/access/processes/unused-credentials.ts';
import { destroyUnusedKeys, hasRecordKeys } from '#commands/registry/processes/unused-keys.ts';
import { createCompleteReplay } from '#commands/streaming/processes/complete-replay.ts';
import { createDisableSubscriptions } from '#commands/streaming/processes/disable-subscription.ts';
import { destroyUnusedSecrets } from '#commands/streaming/processes/signing-secrets.ts';
import { newDerivedFlags } from '#src/adapters/embedded/derived-flags.ts';
import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { mustHaveItsLog } from '#src/adapters/embedded/lost-log.ts';
import { openRefusedRequests } from '#src/adapters/embedded/refused-requests.ts';
import {
  systemClock,
  systemIds,
  systemRandomBytes,
  systemScheduler,
} from '#src/adapters/system.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { createDirectories } from '#src/components/access/directories.ts';
import type { DeliverySettings } from '#src/components/streaming/delivery-settings.ts';
import { createExistence } from '#src/http/existence.ts';
import { httpServer, type ServedServices } from '#src/http/server.ts';
import { createOwnJournals } from '#src/http/own-journals.ts';
import { createCommands } from '#src/http/submit.ts';
import { confirmedIndex } from '#src/journal/confirmed-index.ts';
import { createForwardedCommands } from '#src/journal/forwarded-command.ts';
import { createForwardingJournals } from '#src/journal/forwarding-journals.ts';
import { createJournalEnds } from '#src/journal/journal-ends.ts';
import { createJournals } from '#src/journal/journals.ts';
import { factsSettled } from '#src/journal/facts-settled.ts';
import { resumeProcesses } from '#src/journal/resume.ts';
import type { WriterEvents } from '#src/journal/writer-ports.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { RefusedRequests } from '#src/ports/refused-requests.ts';
import type { TenantDirectory } from '#src/ports/tenant-directory.ts';
import type { Tracing } from '#src/ports/tracing.ts';
import { noDeliveries } from '#src/runtime/delivery/no-deliveries.ts';
import { createContentionNotices } from '#src/journal/contention.ts';
import { followProgress } from '#src/runtime/projector-progress.ts';
import { createProgress } from '#src/runtime/progress.ts';
import type { ProjectionReport } from '#src/runtime/projection-report.ts';
import { about } from './about.ts';
import { createAccessChecks, type AccessChecks } from './access.ts';
import { deciders } from './deciders.ts';
import { beginDeployment, firstAccessIn, tenantAccessOf } from './first-access.ts';
import { indexTable } from './index-table.ts';
import { isEmbedded, placedLogId, type StoreUrls } from './store-urls.ts';
import { joinPeers, type PeerGroup } from './peers.ts';
import { processes } from './processes.ts';
import { startProjector } from './projector.ts';
import { registerMeters } from './meters.ts';
import { createLogs, type Logs } from './log.ts';
import { connectionsMax } from './machine-limits.ts';
import { openGuardedClock } from './guarded-clock.ts';
import { readinessOf } from './readiness.ts';
import { eventFeedOf } from './event-feed.ts';
import { createJournalLoads } from './journal-loads.ts';
import { createRebuild } from './rebuild.ts';
import { routes } from './routes.ts';
import { isLoopback, type Settings } from './settings.ts';
import { servicesOf } from './services.ts';
import { startDelivery } from './delivery.ts';
import { startRelay } from './relay.ts';
import { isRelayed } from './streaming-settings.ts';
import { createProtection } from './protection.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createSnapshots } from './snapshots.ts';
import { createStoppedConsumers } from './stopped-consumers.ts';
import { openEventStore, openReadSide } from './stores.ts';
import {
  answerTenantRequest,
  type TenantAccess,
  type TenantAnswer,
  type TenantRequest,
} from './tenant-control.ts';
import { openTenantControl, openTenants } from './tenants.ts';
import { openWhenReachable, type StoreOpening } from './store-opening.ts';
import { openSpans, tracedStore } from './tracing.ts';

export type Running = Readonly<{
  address: AddressInfo;
  /** The addresses of mounts that have their own port, by setting. */
  listeners: Readonly<Record<string, AddressInfo>>;
  /** Resolves when every operation is served. Errors: those of opening a store. */
  ready: Promise<void>;
  /** Carries out a command of `quipu tenant` once it is ready. Errors: as `ready`. */
  changeTenant: (request: TenantRequest) => Promise<TenantAnswer>;
  /** Lets balancers notice, then accepts nothing more, finishes accepted requests, closes every file. */
  stop: () => Promise<void>;
}>;

/**
 * Listens at once, and opens the stores that the settings name: probes are served while it waits for a server,
 * everything else is refused until `ready`. It calls `onFatal` when the disk fails: nothing is acknowledged after that.
 */
export async function startProcess(
  settings: Settings,
  onFatal: (error: Error) => void,
): Promise<Running> {
  const { roles, eventStoreUrl, readStoreUrl, dataDir } = settings;
  const places = { eventStoreUrl, readStoreUrl, dataDir };
  const logs = await createLogs(settings.logLevel);
  const log = logs('server');
  const tracing = await openSpans(settings.tracing, 'api', (message) => {
    log.warn(message);
  });
  const isLocal = isEmbedded(eventStoreUrl) || isEmbedded(readStoreUrl);
  const lock = isLocal ? lockFolder(dataDir) : undefined;
  if (isEmbedded(eventStoreUrl)) mustHaveItsLog(dataDir);
  const waiting = openWhenReachable(places, log);
  const refused = openRefusedRequests(dataDir, {
    clock: systemClock,
    onTrouble: (error) => {
      log.warn({ cause: error }, 'Refused requests are counted but cannot be kept');
    },
  });
  let tenants: TenantDirectory | undefined;
  const secrets = createSecrets(places);
  const bound: { access?: AddressInfo } = {};
  const checks = createAccessChecks(settings, {
    ...{ secrets: () => secrets.open(), clock: systemClock },
    address: () => bound.access,
    tenants: () => tenants,
  });
  const opening = openParts(settings, places, {
    ...{ logs, tracing, waiting, secrets, checks, refused },
    onFatal: (error) => {
      log.error(`The disk failed, so nothing is acknowledged any more: ${error.message}`);
      onFatal(error);
    },
    onTenants: (directory) => (tenants = directory),
  });
  opening.catch(() => undefined); // Callers that await `ready` get the error.
  const server = httpServer({
    routes: roles.has('api') ? routes : [],
    log: logs('api'),
    tracing,
    listeners: Object.keys(settings.listeners),
    starting: waiting,
    ids: systemIds(),
    clock: systemClock,
    about,
    bounds: {
      limitMax: settings.maxPaginationLimit,
      windowMonthsMax: settings.maxPaginationMonths,
    },
    allowedOrigins: settings.corsAllowedOrigins,
    allowedHosts: settings.allowedHosts,
    access: checks.access,
    ownAccess: checks.ownAccess,
    rateLimits: settings.issuer.rateLimits,
    refused,
    guardsMetrics: settings.access !== undefined && !isLoopback(settings.host),
    memoryLimitBytes: settings.httpMemoryBytes,
    connectionsMax: connectionsMax(),
    threads:
      settings.httpThreads > 0
        ? { count: settings.httpThreads, entryFile: workerFile('http-worker', import.meta.url) }
        : undefined,
    codes: {
      errorDocsBaseUrl: settings.errorDocsBaseUrl,
      errorCodeStyle: settings.errorCodeStyle,
    },
    loadExamples: () => import('./examples.ts').then(({ loadExamples }) => loadExamples()),
  });
  const address = await server.listen(settings.port, settings.host);
  const listeners: Record<string, AddressInfo> = {};
  for (const [setting, port] of Object.entries(settings.listeners)) {
    listeners[setting] = await server.listen(port, settings.host, setting);
  }
  bound.access = listeners['AUTH_PORT'] ?? address;

  return {
    address,
    listeners,
    ready: opening.then(
      ({ services, meters }) => server.open(services, meters),
      async (error: unknown) => {
        await server.close();
        await refused.close();
        lock?.release(); // A caller may correct the cause and start again in this process.
        throw error;
      },
    ),
    changeTenant: async (request) => (await opening).changeTenant(request),
    async stop() {
      waiting.giveUp();
      void opening.then(
        ({ withdraw }) => withdraw(),
        () => undefined,
      );
      await server.leave();
      void opening.then(
        ({ endStreams }) => {
          endStreams();
        },
        () => undefined,
      );
      await server.close();
      await refused.close();
      const parts = await Promise.race([opening.catch(() => undefined), waiting.gaveUp]);
      await parts?.stop();
      await tracing?.close();
      lock?.release();
    },
  };
}

type StartedParts = Readonly<{
  services: ServedServices;
  changeTenant: (request: unknown) => Promise<TenantAnswer>;
  meters: (registry: Registry) => void;
  /** Leaves the journals that this process owns to others. */
  withdraw: () => Promise<void>;
  /** Ends the replies that have no end of their own. */
  endStreams: () => void;
  /** Finishes work in progress and closes every file. */
  stop: () => Promise<void>;
}>;

type StartContext = Readonly<{
  logs: Logs;
  tracing: Tracing | undefined;
  waiting: StoreOpening;
  secrets: Secrets;
  checks: AccessChecks;
  refused: RefusedRequests;
  onFatal: (error: Error) => void;
  onTenants: (directory: TenantDirectory) => void;
}>;

/**
 * Starts everything but listening. This thread decides; threads commit, project, answer queries
 * and take snapshots.
 */
async function openParts(
  settings: Settings,
  places: StoreUrls,
  { logs, tracing, waiting, secrets, checks, refused, onFatal, onTenants }: StartContext,
): Promise<StartedParts> {
  const { roles } = settings;
  const log = logs('server');
  // Ids contain a time as well.
  let trusted: Clock = systemClock;
  const ids = systemIds({ now: () => trusted.now() });
  const scheduler = systemScheduler;
  const flags = newDerivedFlags();
  const store = tracedStore(
    await waiting.until('event_store', () => openEventStore(places, { ids, onFatal })),
    tracing,
  );
  const { clock, stop: stopClock } = await openGuardedClock(store, settings, log);
  trusted = clock;
  const tenants = await waiting.until('event_store', () =>
    openTenants(store, settings.access?.tenancy, { clock, ids, scheduler }),
  );
  const tenancy = tenants?.tenancy;
  const first = roles.has('api') ? firstAccessIn(settings, tenants) : undefined;
  const tenantAccess = Promise.withResolvers<TenantAccess>();
  const changeTenant = (request: unknown): Promise<TenantAnswer> =>
    tenants === undefined
      ? Promise.resolve({ refused: 'This server serves one tenant.' })
      : answerTenantRequest(
          { register: tenants.register, access: () => tenantAccess.promise },
          request,
        );
  const control = tenants && (await openTenantControl(places, changeTenant, log));
  const placed = placedLogId(places, store.logId);
  const {
    reads,
    index: unconfirmed,
    snapshots: snapshotStore,
    board,
    close,
  } = await waiting.until('read_store', () => openReadSide(places, placed, flags));
  const index = confirmedIndex(unconfirmed, store);
  const protection = createProtection({
    ...{ settings: settings.protection, places, secrets, clock },
    warn: (message) => {
      log.warn(message);
    },
  });
  const snapshots = createSnapshots(places, (journal, error) => {
    log.warn({ cause: error }, `No snapshot of ${journal}`);
  });

  const progress = createProgress(store, scheduler, () => {
    projector?.urge();
    follower?.urge();
  });
  const startedAt = clock.now();
  let resumed = false;
  let isResuming = false;
  const resume = async (): Promise<void> => {
    if (isResuming) return;
    isResuming = true;
    const aloneSince = store.exclusive ? startedAt : undefined;
    try {
      const ports = { index, store, clock, ids, scheduler, components: await components };
      await resumeProcesses(processes, journals, ports, { aloneSince });
    } catch (error) {
      log.error({ cause: error }, 'Processes over several journals could not be resumed');
    }
    isResuming = false;
  };
  const destroySecrets = async (): Promise<void> => {
    try {
      await destroyUnusedSecrets(await secrets.openExisting(), journals, clock);
    } catch (error) {
      log.error({ cause: error }, 'Signing secrets without a subscription could not be destroyed');
    }
  };
  /** Opens the keys of personal data only if there are some. */
  const destroyKeys = async (): Promise<void> => {
    try {
      const store = await secrets.openExisting();
      if (store === undefined || !(await hasRecordKeys(store))) return;
      const { keys } = await protection.open();
      await destroyUnusedKeys({ keys, journals, clock, ids });
    } catch (error) {
      log.error({ cause: error }, 'Keys of holders that never came to be could not be destroyed');
    }
  };
  const destroyCredentials = async (): Promise<void> => {
    try {
      const store = await secrets.openExisting();
      if (store === undefined) return;
      const keys = (await hasRecordKeys(store)) ? (await protection.open()).keys : undefined;
      const { credentials } = accessServices(await components);
      await destroyUnusedCredentials({ keys, credentials, journals, clock, ids });
    } catch (error) {
      log.error(
        { cause: error },
        'Keys and passwords of users that are no more could not be destroyed',
      );
    }
  };
  const rebuild = createRebuild(logs('projector'));
  const loads = createJournalLoads(store, log, () => scheduler.elapsedMs());
  const stopped = createStoppedConsumers();
  const heard = (report: ProjectionReport): void => {
    rebuild.heard(report);
    stopped.heard(report);
    progress.projected(report);
    if (report.caughtUp) rebuilding.length = 0;
    journals.indexed(report.indexed);
    if (!report.caughtUp || resumed || !roles.has('api')) return;
    resumed = true;
    void resume();
    void destroySecrets();
    void destroyKeys();
    void destroyCredentials();
  };
  /** Read models that are absent until the projector has caught up. */
  const rebuilding: string[] = [];
  const projector = roles.has('projector')
    ? startProjector(
        { places, logId: store.logId, flags, tracing: settings.tracing },
        heard,
        (fault) => {
          stopped.failed(fault);
          logs('projector').error(fault.message);
        },
        (message) => {
          progress.restarted();
          rebuilding.push(message);
          logs('projector').error(message);
        },
      )
    : undefined;
  const follower =
    board &&
    followProgress({
      board,
      log: { ...store, logId: placed },
      scheduler,
      onReport: heard,
      onSilence: () => progress.unknown(),
    });
  const contention =
    board &&
    createContentionNotices({
      messages: board,
      scheduler,
      onWaiting: (name) => journals.share(name),
    });

  const { streaming } = settings;
  const relay =
    streaming && isRelayed(streaming) && roles.has('relay')
      ? startRelay({
          ...{ places, platform: settings.platform, tenancy, streaming, store },
          tracing: settings.tracing,
          besideRequests: roles.has('api'),
          completeReplay: (tenantId, id) => createCompleteReplay(journals, ids)(tenantId, id),
          onFault: ({ topic, message }) => {
            logs('relay').warn(topic === '' ? message : `${topic}: ${message}`);
          },
        })
      : undefined;

  /** This process among others that write the log, once it has joined them. */
  let peers: PeerGroup | undefined;
  const acknowledged: WriterEvents['acknowledged'] = (journal, revision, position) => {
    progress.acknowledged(journal, revision, position);
    projector?.wake();
  };
  const isShared = board !== undefined && !store.exclusive && roles.has('api');
  const ends = isShared ? createJournalEnds(acknowledged) : undefined;
  const own = createJournals(
    deciders,
    {
      ...{ store, index, indexTable, snapshots: snapshotStore, clock, ids, scheduler, tracing },
      onRead: loads.heard,
    },
    {
      acknowledged: ends?.note ?? acknowledged,
      doubted: (journal, reason) => {
        log.error(`The journal index is wrong about ${journal}: ${reason}`);
      },
      contended: (journal) => contention?.announce(journal),
      grown: (journal) => {
        snapshots.request(journal);
      },
      fault: (journal, error) => {
        log.error({ cause: error }, `Reloading journal ${journal} after a store error`);
      },
    },
  );
  const journals =
    ends === undefined
      ? own
      : createForwardingJournals(own, {
          peers: { ownerOf: (journal) => peers?.ownerOf(journal) },
          ...{ ends, store, ids },
        });
  const delivery =
    streaming && (roles.has('api') || roles.has('delivery'))
      ? startDelivery({
          ...{ places, platform: settings.platform, tenancy, streaming },
          tracing: settings.tracing,
          consumer: settings.consumer,
          settings: settings.components['streaming'] as DeliverySettings,
          delivers: roles.has('delivery'),
          besideRequests: roles.has('api'),
          disable: createDisableSubscriptions(journals, ids),
          onTrouble: (message) => {
            logs('delivery').warn(message);
          },
        })
      : undefined;

  const givingUp = setInterval(() => {
    journals.giveUpWaiting(WAIT_MS_MAX);
  }, WAIT_MS_MAX / 28).unref();
  const unloading = setInterval(() => {
    journals.unloadIdle(IDLE_MS);
  }, IDLE_MS / 4).unref();
  const resuming = setInterval(() => {
    if (resumed) void resume();
  }, RESUME_EVERY_MS).unref();

  const directories = createDirectories({ log: store, protection: () => protection.open() });
  const following = setInterval(() => {
    directories.follow().catch((error: unknown) => {
      log.error({ cause: error }, 'Users and applications could not be read');
    });
    if (!isEmbedded(places.readStoreUrl)) checks.issued.revocations.reload().catch(() => undefined);
  }, DIRECTORY_EVERY_MS).unref();
  const events = eventFeedOf(settings, store, tenancy);
  const components = servicesOf(settings, {
    ...{ clock, randomBytes: systemRandomBytes, deliveries: delivery?.calls ?? noDeliveries },
    events,
    ...{ reads, progress },
    factsSettled: () => factsSettled(journals, scheduler),
    secrets: () => secrets.open(),
    protection: () => protection.open(),
    directories,
    ...{ ids, issued: checks.issued },
  });
  const accessPorts = { journals, components: await components, ids, scheduler };
  if (tenants === undefined && roles.has('api')) await directories.of(SINGLE_TENANT);
  if (first !== undefined) await beginDeployment(first, tenants, accessPorts);
  tenantAccess.resolve(tenantAccessOf(accessPorts));
  checks.open(directories);
  if (tenants !== undefined) onTenants(tenants.directory);
  if (board !== undefined && ends !== undefined) {
    peers = await waiting.until('read_store', async () =>
      joinPeers({
        ...{ settings: settings.peers, messages: board, logId: placed, log },
        secrets: await secrets.open(),
        answer: createForwardedCommands(own, ends),
      }),
    );
  }
  return {
    changeTenant,
    services: {
      readiness: readinessOf({
        ...{ store, reads, progress, rebuilding, rebuild, loads, relay, delivery, places, clock },
        stopped: stopped.reasons,
        embeddedTopics: streaming?.target.is === 'embedded',
        serves: roles.has('api'),
      }),
      commands: createCommands(
        journals,
        progress,
        { ids, scheduler },
        settings.idempotencyBodyHashSeconds,
      ),
      ids,
      reads,
      log: store,
      progress,
      clock,
      ownJournals: tenants && createOwnJournals(store),
      existence: createExistence({ reads, progress }, scheduler),
      components: await components,
      logId: store.logId,
    },
    meters: (registry) => {
      registerMeters(registry, {
        ...{ progress, behind: rebuild.behind, stopped: stopped.reasons },
        dataDir: isEmbedded(places.eventStoreUrl) ? places.dataDir : undefined,
        relay: () => relay?.report(),
        replays: () => relay?.replays() ?? 0,
        delivery: () => delivery?.report(),
        topics: () => delivery?.topics(),
        refusedDropped: () => refused.dropped,
        peers: () => peers?.report(),
      });
    },
    endStreams: () => {
      events.close();
    },
    withdraw: async () => peers?.withdraw(),
    async stop() {
      stopClock();
      await peers?.stop(); // Its last answers need the stores.
      tenants?.directory.close();
      await control?.close();
      clearInterval(givingUp);
      clearInterval(unloading);
      clearInterval(resuming);
      clearInterval(following);
      await snapshots.close();
      await Promise.all([projector?.stop(), relay?.stop(), delivery?.stop()]);
      await Promise.all([follower?.stop(), contention?.stop()]);
      await protection.close();
      await secrets.close();
      await store.close(); // After those that read its file.
      await close();
    },
  };
}

/** The longest time a command may take, even if a store does not respond; callers get a reply within 10 s. */
const WAIT_MS_MAX = 7000;

/** The interval at which this process looks for work that others have abandoned. */
const RESUME_EVERY_MS = 15_000;

/** The interval at which users and applications that other processes changed are looked for. */
const DIRECTORY_EVERY_MS = 2000;

/** A ledger that was not used for this long is unloaded; its next command loads it again. */
const IDLE_MS = 10 * 60_000;
