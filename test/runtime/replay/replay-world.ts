import { MemoryCheckpointStore } from '#test/doubles/memory/checkpoint-store.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import {
  MemoryPublisher,
  type Arrived,
  type PublisherFaults,
} from '#test/doubles/memory/publisher.ts';
import { replayIn } from '#src/bridge/streaming/replay-change.ts';
import type { ReplayRecord } from '#src/events/streaming/streaming.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import type { NewEvent, Position } from '#src/ports/event-store.ts';
import { createReplayBook } from '#src/runtime/replay/replay-book.ts';
import { createReplayer, type ReplayTopic } from '#src/runtime/replay/replayer.ts';
import { lifeOf, relayWorld } from '#test/runtime/relay-world.ts';
import { logged, moment, transferTopics } from '#test/support/relayed.ts';
import { nthId } from '#test/support/stamps.ts';

const JOURNAL = streamingJournal('default');

type Life = Readonly<{
  faults?: PublisherFaults;
  checkpointsFail?: () => boolean;
  isBusy?: () => boolean;
  /** By default, live lanes have published everything. */
  publishedTo?: (topic: string) => Position;
  fence?: number;
  topics?: readonly ReplayTopic[];
}>;

/** A log, replays requested in it, and replayers that come and go over them, in a time of their own. */
export function replayWorld(seed = 1) {
  const world = relayWorld(seed);
  const { scheduler, log, saved } = world;
  const writer = new MemoryEventStore({ scheduler, log });
  const again: Arrived[] = [];
  const faultsSeen: string[] = [];
  const record = async (event: NewEvent): Promise<void> => {
    await writer.append(JOURNAL, [event], log.revision(JOURNAL));
  };

  const start = ({ faults, checkpointsFail, isBusy, fence = 1, topics, ...life }: Life = {}) => {
    const { mortal, crash } = lifeOf(scheduler);
    const store = new MemoryEventStore({ scheduler: mortal, log });
    const replayer = createReplayer({
      book: createReplayBook({
        log: store,
        tenants: () => ['default'],
        journalOf: streamingJournal,
        replayIn,
      }),
      log: store,
      checkpoints: new MemoryCheckpointStore(mortal, saved, checkpointsFail),
      publisher: new MemoryPublisher(mortal, faults, again),
      topics: topics ?? transferTopics(),
      scheduler: mortal,
      fence,
      isBusy: isBusy ?? (() => false),
      publishedTo: life.publishedTo ?? (() => log.end()),
      async complete(_, id) {
        await mortal.yield();
        const replay = statuses().get(id)!;
        if (replay.status === 'completed') return;
        const completed = { ...replay, status: 'completed' } as const;
        const data = { replay: completed, changed: ['status'] };
        await record(logged(`completion of ${id}`, { type: 'ReplayUpdated', data } as never));
      },
      onFault: ({ message }) => faultsSeen.push(message),
      recordsMax: 10,
    });
    const ended = replayer.run();
    ended.catch(() => {});
    return { replayer, ended, crash };
  };

  /** The replays in the journal, as they are now. */
  const statuses = (): ReadonlyMap<Uuid, ReplayRecord> => {
    const events = log.read(JOURNAL, 0, 1e6);
    return new Map(
      events.map(({ data }) => {
        const { replay } = JSON.parse(data) as { replay: ReplayRecord };
        return [replay.id, replay];
      }),
    );
  };

  return {
    ...{ world, start, again, faultsSeen, saved },
    /** Requests the n-th replay of the events of some milliseconds. */
    async request(
      n: number,
      from: number,
      to: number,
      selection: Partial<Pick<ReplayRecord, 'keys' | 'subjects'>> = {},
    ): Promise<void> {
      const at = moment(1_000 + n);
      const replay: ReplayRecord = {
        ...{ id: nthId(n), from: moment(from), to: moment(to), ...selection, status: 'pending' },
        ...{ createdAt: at, updatedAt: at, deletedAt: null },
      };
      const data = { replay };
      await record(
        logged(`replay ${n}`, { type: 'ReplayCreated', data } as never, { recordedAt: at }),
      );
    },
    isCompleted: (n: number) => statuses().get(nthId(n))?.status === 'completed',
  };
}
