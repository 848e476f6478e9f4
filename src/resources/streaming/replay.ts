import type { RecordResource } from '#src/kernel/record-resource.ts';
import { instant, name, record, text, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const SELECTION_MAX = 100;
const time = { type: 'string', format: 'instant' } as const;
const selection = { type: 'array', minItems: 1, maxItems: SELECTION_MAX } as const;
const texts = { type: 'array', items: { type: 'string' } } as const;
const STATUSES = ['pending', 'completed'] as const;

export const createReplayBody = record(
  {
    from: { ...time, description: 'The time of the first event' },
    to: { ...time, description: 'The time of the last event' },
    keys: {
      ...selection,
      items: name(256),
      description: 'Event keys of the manifest, such as account.created; without them, every event',
    },
    subjects: {
      ...selection,
      items: text(1024),
      description: 'Values of ce-subject; without them, every one',
    },
  },
  ['from', 'to'],
) satisfies Schema;

export const replaySchema = {
  title: 'Replay',
  ...record(
    {
      id: uuid,
      from: instant,
      to: instant,
      keys: texts,
      subjects: texts,
      status: {
        type: 'string',
        enum: STATUSES,
        description: 'completed: every event was published again at least once.',
      },
      createdAt: instant,
      updatedAt: instant,
    },
    ['id', 'from', 'to', 'status', 'createdAt', 'updatedAt'],
  ),
} as const satisfies Schema;

export const replayResource = {
  name: 'Replay',
  nouns: ['a replay', 'replays'],
  tag: 'Replays',
  path: 'replays',
  create: createReplayBody,
  update: record({}, []),
  view: replaySchema,
  list: { paging: 'page' },
  rows: {},
} as const satisfies RecordResource;
