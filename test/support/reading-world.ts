import type { Micros } from '#src/kernel/instant.ts';
import { renderers } from '#src/bootstrap/renderers.ts';
import { projections } from '#src/bootstrap/projections.ts';
import { createExistence } from '#src/http/existence.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import {
  createReadMemory,
  memoryReadStore,
  memoryReadStoreWriter,
} from '#test/doubles/memory/read-store.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { systemClock, systemScheduler } from '#src/adapters/system.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import type { Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Projection } from '#src/ports/projection.ts';
import { createProgress, type Progress } from '#src/runtime/progress.ts';
import { createProjector, type Projector, type ProjectorOptions } from '#src/runtime/project.ts';
import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';
import { nthId } from './stamps.ts';
import { metadataOf } from './stored-samples.ts';

export type Page = Readonly<{
  items: Readonly<Record<string, unknown>>[];
  limit: number;
  page?: number;
  next_cursor?: string;
  prev_cursor?: string;
}>;

/** The read side on memory adapters: what is appended is projected, and routes answer from it. */
export class ReadingWorld {
  readonly log = new MemoryLog();
  readonly memory = createReadMemory();
  readonly index = new MemoryIndexData();
  readonly faults: ProjectionFault[] = [];
  readonly reports: ProjectionReport[] = [];
  readonly progress: Progress;
  readonly services: Services;
  projector: Projector;
  #minted = 0;

  constructor(options: Partial<ProjectorOptions> = {}) {
    const store = this.store();
    this.progress = createProgress(store, systemScheduler);
    const reads = memoryReadStore(this.memory, systemScheduler, renderers);
    const read = {
      reads,
      log: store,
      progress: this.progress,
      logId: store.logId,
      clock: systemClock,
    };
    this.services = {
      ...read,
      existence: createExistence(read, systemScheduler),
    } as unknown as Services;
    this.projector = this.start(options);
  }

  store(): MemoryEventStore {
    return new MemoryEventStore({ scheduler: systemScheduler, log: this.log });
  }

  /** Another projector over the same stores, as after a restart. */
  start(options: Partial<ProjectorOptions> = {}): Projector {
    this.reports.length = 0;
    this.projector = createProjector({
      log: this.store(),
      writer: memoryReadStoreWriter(this.memory, systemScheduler),
      index: new MemoryJournalIndex({ scheduler: systemScheduler, data: this.index }),
      indexTable,
      scheduler: systemScheduler,
      projections,
      onProgress: (report) => {
        this.reports.push(report);
        this.progress.projected(report);
      },
      onFault: (fault) => this.faults.push(fault),
      ...options,
    });
    void this.projector.run();
    return this.projector;
  }

  /** Appends, and acknowledges as a writer would. Answers the position. */
  append(journal: string, ...events: readonly (DomainEvent & { key?: string })[]): Position {
    const stored = events.map(({ type, data: members, key }) => {
      const data = JSON.stringify(members);
      const changes = key === undefined ? {} : { idempotencyKey: key };
      const { metadata } = seal(type, data, metadataOf(GENESIS, changes));
      return { id: nthId((this.#minted += 1)), type, data, metadata };
    });
    const appended = this.log.append(journal, stored, this.log.revision(journal));
    if (appended === undefined) throw new Error('A spec appends in order');
    this.progress.acknowledged(journal, appended.revision, appended.position);
    this.projector.wake();
    return appended.position;
  }

  /** Waits until everything that goes on, or some of it, has come to a position. */
  async shows(position: Position, of?: readonly Projection[]): Promise<void> {
    const deadline = systemScheduler.elapsedMs() + WAIT_MS;
    while (systemScheduler.elapsedMs() < deadline) {
      const last = this.reports.at(-1);
      if (of === undefined && (last?.position ?? '') >= position) return;
      const behind = (of ?? []).filter(({ collection }) => {
        const report = last?.collections.get(collection.name);
        return report?.stopped !== true && !((report?.checkpoint ?? '') >= position);
      });
      if (of !== undefined && behind.length === 0) return;
      await systemScheduler.yield();
    }
    throw new Error(`Not projected: ${position}`);
  }

  /** Calls a reading route and answers the body. Errors: Refusal. */
  async get<Body = Page>(
    routes: readonly Route[],
    operationId: string,
    path: Readonly<Record<string, string>>,
    { query = {}, page = {}, token }: Asking = {},
  ): Promise<Body> {
    const route = routes.find((one) => one.operationId === operationId);
    if (route === undefined) throw new Error(`No route ${operationId}`);
    const request: Request = {
      operationId,
      version: 1,
      path,
      body: undefined,
      query,
      page: { ...FIRST_PAGE, ...page },
      idempotency: undefined,
      lastEventId: undefined,
      context: { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' },
      consistencyToken: token,
      client: { address: '127.0.0.1', authorization: undefined },
      caller: {
        gone: false,
        expiresAt: Infinity as Micros,
        isPermitted: () => Promise.resolve(true),
      },
    };
    const reply = await route.handle(request, this.services);
    return JSON.parse((reply.body ?? '').toString()) as Body;
  }
}

type Asking = Readonly<{
  query?: Readonly<Record<string, unknown>>;
  page?: Partial<PageRequest>;
  token?: Readonly<Record<string, number>>;
}>;

const FIRST_PAGE: PageRequest = {
  limit: 10,
  page: undefined,
  cursor: undefined,
  sortOrder: undefined,
  startDate: undefined,
  endDate: undefined,
  metadata: [],
  bare: true,
};

const WAIT_MS = 30_000;
