import { replayWriteRoutes } from '#commands/streaming/api/replay.ts';
import type { SubscriptionServices } from '#commands/streaming/api/services.ts';
import { subscriptionWriteRoutes } from '#commands/streaming/api/subscription.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Request as HttpRequest } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { IdempotencyKey } from '#src/journal/batch.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { TOPICS } from './publishing.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { CommandWish } from './request.ts';
import type { BookedStream, StreamBooks } from './stream-books.ts';

/** A request about subscriptions and replays. */
export type StreamWish =
  | Readonly<{ type: 'createSubscription' | 'createReplay'; body: object }>
  | Readonly<{ type: 'updateSubscription'; id: Uuid; body: object }>
  | Readonly<{
      type: 'pauseSubscription' | 'resumeSubscription' | 'deleteSubscription';
      id: Uuid;
    }>;

/** Few subscriptions of either kind, whose filters and statuses change, and replays of windows of the log. */
export function streamWish(random: Random, books: StreamBooks): CommandWish {
  const { live } = books;
  const isFew = live.length < STREAMS_WANTED;
  const what = random.weighted({
    create: isFew ? 8 : 0.2,
    replay: books.times.length > 0 ? 3 : 0,
    filters: live.length > 0 ? 1.5 : 0,
    status: live.length > 0 ? 3 : 0,
    delete: isFew ? 0 : 0.5,
  });
  if (what === 'replay')
    return wishOf('replay', { type: 'createReplay', body: window(random, books) });
  if (what === 'create') {
    return wishOf('subscription', { type: 'createSubscription', body: creation(random, books) });
  }
  const stream = random.pick(live);
  const { id } = stream;
  if (what === 'delete') return wishOf('subscription change', { type: 'deleteSubscription', id });
  if (what === 'status') return statusWish(stream);
  const body = { filters: random.pick(FILTERS) };
  return wishOf('subscription change', { type: 'updateSubscription', id, body });
}

/** Pauses an active subscription, and resumes any other. */
export function statusWish({ id, states }: BookedStream): CommandWish {
  const isActive = states.at(-1)?.subscription.status === 'active';
  const type = isActive ? 'pauseSubscription' : 'resumeSubscription';
  return wishOf('subscription change', { type, id });
}

function creation(random: Random, { times }: StreamBooks): object {
  const isWebhook = random.oneIn(2);
  return {
    name: 'Simulated',
    filters: random.pick(FILTERS),
    target: isWebhook
      ? { kind: 'webhook', url: 'https://receiver.example', timeoutMs: 15_000 }
      : { kind: 'pull' },
    format: 'structured',
    ordering: random.oneIn(4) ? 'none' : 'key',
    rateLimit: random.pick([100, 1000]),
    startAt: times.length === 0 || random.oneIn(3) ? 'now' : random.pick(times),
  };
}

/** Mostly up to now: what is replayed has often not been published yet. */
function window(random: Random, { times }: StreamBooks): object {
  const [one = '', other = ''] = [random.pick(times), random.pick(times)].toSorted();
  return {
    from: random.oneIn(3) ? EPOCH : one,
    to: random.oneIn(3) ? other : LAST,
    ...(random.oneIn(3) && { keys: [random.pick(TOPICS).key, 'balance.changed'] }),
  };
}

function wishOf(kind: CommandWish['kind'], stream: StreamWish): CommandWish {
  return {
    kind,
    journal: { name: streamingJournal('default') },
    command: () => {
      throw new Error('A subscription is written by several commands');
    },
    stream,
  };
}

/** Runs the handler of the route, with the secrets of one process. Errors: Refusal, Unavailable. */
export async function runStream(
  { commands, ids, signingSecrets }: Process,
  wish: StreamWish,
  context: CommandContext,
  idempotency: Pick<IdempotencyKey, 'key' | 'ttlSeconds'> | undefined,
): Promise<Reply> {
  const { type } = wish;
  const request = {
    ...{ context, idempotency, operationId: type },
    path: { subscription_id: 'id' in wish ? wish.id : undefined },
    query: {},
    body: 'body' in wish ? wish.body : {},
  } as unknown as HttpRequest;
  const streaming: Partial<SubscriptionServices> = {
    signingSecrets,
    addressFault: () => undefined,
    publishesTo: 'broker',
    isEventKey: () => true,
  };
  const services = { commands, ids, components: { streaming } } as unknown as Services;
  const found = HANDLERS.find(({ operationId }) => operationId === type);
  if (found === undefined) throw new Error(`There is no operation ${type}`);
  return (found.handle as (request: HttpRequest, services: Services) => Promise<Reply>)(
    request,
    services,
  );
}

const HANDLERS = [...subscriptionWriteRoutes, ...replayWriteRoutes];

const FILTERS = [
  { types: ['*'] },
  { types: ['balance.changed'] },
  { types: ['balance.changed', 'transaction.posted', 'account.created'] },
  { resourceTypes: ['account', 'asset', 'balance'] },
  { types: ['studio.quipu.*'] },
];
const EPOCH = '2025-12-31T00:00:00.000000Z';
const LAST = '2026-06-01T00:00:00.000000Z';
const STREAMS_WANTED = 3;
