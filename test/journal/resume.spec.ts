import { expect } from 'chai';
import type { Envelope } from '#src/journal/batch.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { Process } from '#src/journal/process.ts';
import { resumeProcesses, type ResumePorts } from '#src/journal/resume.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';
import { countingIds, nthId, NOW } from '#test/support/stamps.ts';

const NOW_AT = parseInstant(NOW);
const SECOND = 1_000_000;
const KEYED = { idempotencyKey: 'k', requestHash: 'h', replyVersion: 1 };

type Written = Readonly<{ type: string; secondsAgo?: number; requestId?: string; more?: object }>;

/** Journals by name; the index lists the last event of each as the beginning of a process. */
class World {
  readonly resumed: string[] = [];
  readonly submitted: Envelope<unknown>[] = [];
  readonly broken = new Set<string>();
  readonly ended = new Set<string>();
  readonly #journals: Readonly<Record<string, readonly StoredEvent[]>>;

  constructor(journals: Readonly<Record<string, readonly Written[]>>) {
    this.#journals = Object.fromEntries(
      Object.entries(journals).map(([name, events]) => [name, events.map(stored(name))]),
    );
  }

  async resume(aloneSince?: Micros): Promise<readonly string[]> {
    const step = (kind: string): Process['resume'] => {
      return async ({ submit }, { journal, revision }) => {
        if (this.broken.has(journal)) throw new Error(`${journal} is broken`);
        this.resumed.push(`${kind} ${journal} ${String(revision)}`);
        await submit({ name: journal }, {}, 'take');
      };
    };
    const processes: Process[] = [
      { open: beginning('Reserved'), abandonedAfterMs: 0, resume: step('instant') },
      { open: beginning('Built'), abandonedAfterMs: 120_000, resume: step('timed') },
      {
        ...{ open: beginning('Opened', 'Decided'), hasJournal: true, abandonedAfterMs: 30_000 },
        resume: step('own'),
      },
    ];
    const journals = {
      submit: async (_: unknown, envelope: Envelope<unknown>) => this.submitted.push(envelope),
    } as unknown as Journals;
    const when = { aloneSince };
    await resumeProcesses(processes, journals, this.#ports(), when);
    return this.resumed.splice(0).sort();
  }

  #ports(): ResumePorts {
    const log = (journal: string) => this.#journals[journal] ?? [];
    return {
      index: {
        list: async () => Object.keys(this.#journals).map((journal) => ({ journal, key: 'x' })),
        find: async (journal) =>
          new Map(this.ended.has(journal) ? [] : [['x', log(journal).length - 1]]),
      },
      store: {
        read: async (journal, from) => log(journal).slice(from, from + 1),
        last: async (journal) => log(journal).at(-1),
      },
      clock: { now: () => NOW_AT },
      ids: countingIds(),
      scheduler: { sleep: async () => undefined, elapsedMs: () => 0 },
    };
  }
}

const beginning = (...types: readonly string[]): Process['open'] => ({
  begins: Object.fromEntries(types.map((type) => [type, () => 'x'])),
  ends: {},
});

const stored =
  (stream: string) =>
  ({ type, secondsAgo = 0, requestId = 'r', more }: Written, revision: number): StoredEvent => {
    const recordedAt = formatInstant((NOW_AT - secondsAgo * SECOND) as Micros);
    const context = { actor: { type: 'anonymous', id: '' }, tenantId: 't', requestId };
    const metadata = JSON.stringify({ recordedAt, ...context, ...more });
    const position = '' as StoredEvent['position'];
    return { id: nthId(revision), type, data: '{}', metadata, stream, revision, position };
  };

describe('processes that were interrupted', () => {
  it('are left alone until they are old enough, and then resumed whenever there is a look', async () => {
    const world = new World({
      'a-1': [{ type: 'Built', secondsAgo: 119 }],
      'a-2': [{ type: 'Built', secondsAgo: 120 }],
    });
    expect(await world.resume()).to.deep.equal(['timed a-2 0']);
    expect(await world.resume()).to.deep.equal(['timed a-2 0']);
  });

  it('are not waited for when they were begun before this process was alone', async () => {
    const world = new World({
      'a-1': [{ type: 'Built', secondsAgo: 10 }],
      'a-2': [{ type: 'Built', secondsAgo: 9 }],
    });
    const aloneSince = (NOW_AT - 9 * SECOND) as Micros;
    expect(await world.resume(aloneSince)).to.deep.equal(['timed a-1 0']);
  });

  it('with a journal to themselves are as young as its last event', async () => {
    const world = new World({
      'g-1': [{ type: 'Opened', secondsAgo: 60 }, { type: 'Decided' }],
      'g-2': [
        { type: 'Opened', secondsAgo: 60 },
        { type: 'Decided', secondsAgo: 30 },
      ],
    });
    expect(await world.resume()).to.deep.equal(['own g-2 0']);
  });

  it('go on in the name of the request that began them, and under its key', async () => {
    const world = new World({
      'g-1': [
        { type: 'Opened', secondsAgo: 60, requestId: 'first', more: KEYED },
        { type: 'Decided', secondsAgo: 60, requestId: 'second' },
      ],
    });
    await world.resume();
    const [{ context, idempotency } = {}] = world.submitted;
    expect(context).to.deep.equal({
      ...{ actor: { type: 'anonymous', id: '' }, tenantId: 't', requestId: 'first' },
    });
    expect(idempotency).to.include({ key: 'k', requestHash: 'h', replyVersion: 1 });
  });

  it('are passed by when they ended meanwhile', async () => {
    const world = new World({ 'a-1': [{ type: 'Reserved' }] });
    world.ended.add('a-1');
    expect(await world.resume()).to.deep.equal([]);
  });

  it('do not stop each other: what failed is told when all were tried', async () => {
    const world = new World({
      'a-1': [{ type: 'Reserved' }],
      'a-2': [{ type: 'Unheard' }],
      'a-3': [{ type: 'Reserved' }],
      'a-4': [{ type: 'Built', secondsAgo: 200 }],
    });
    world.broken.add('a-1');
    const failure = await world.resume().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AggregateError);
    expect((failure as AggregateError).errors.map(String)).to.deep.equal([
      'Error: a-2 began nothing with Unheard',
      'Error: a-1 is broken',
    ]);
    expect(world.resumed.sort()).to.deep.equal(['instant a-3 0', 'timed a-4 0']);
  });
});
