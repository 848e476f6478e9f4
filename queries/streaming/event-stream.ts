import { notFound, readRow } from '#queries/reading.ts';
import { recordProjection } from '#projections/record.ts';
import { refuse } from '#src/events/streaming/refusals.ts';
import { streamed } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { structuredEvent } from '#src/kernel/structured-event.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import { EVENT_ID_PATTERN, uuidTime } from '#src/kernel/uuid-time.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { Row } from '#src/ports/read-store.ts';
import { eventStreamSchema } from '#src/resources/streaming/message.ts';
import { subscriptionResource } from '#src/resources/streaming/subscription.ts';
import { streamingServices } from './services.ts';

const subscriptions = recordProjection(subscriptionResource);

export const eventStreamRoutes = [
  route({
    operationId: 'streamEvents',
    summary: 'Follow the events of a subscription that is pulled',
    description:
      'Sends server-sent events: each message is a CloudEvent in structured mode, with its id and type. After a ' +
      'disconnection, send the last id you processed as Last-Event-ID. A stream ends when the token that opened it ' +
      'expires or loses its permission. Nothing is leased or acknowledged, and pull calls do not see what a stream sent.',
    tag: 'Deliveries',
    method: 'get',
    path: '/v1/subscriptions/{subscription_id}/stream',
    permission: { namespace: 'streaming', resource: 'deliveries', action: 'get' },
    entityType: 'Subscription',
    media: 'text/event-stream',
    resumable: true,
    filters: {
      last_event_id: {
        type: 'string',
        description: 'As Last-Event-ID, for clients that cannot send a header.',
        published: { type: 'string', pattern: EVENT_ID_PATTERN },
      },
    },
    replies: { 200: eventStreamSchema },
    refusals: [
      'NOT_FOUND',
      'NOT_PULLED',
      'SUBSCRIPTION_NOT_ACTIVE',
      'STREAMING_OFF',
      'TOO_MANY_REQUESTS',
    ],

    async handle(request, services) {
      const lastEventId = lastEventIdIn(request);
      const { context, path, caller } = request;
      const subscription = await readSubscription(services, request);
      if (subscription === undefined) throw notFound('subscription');
      if (subscription.target.kind !== 'pull') {
        throw refuse('NOT_PULLED', 'The target of this subscription is not of the kind pull.');
      }
      if (subscription.status !== 'active') {
        throw refuse('SUBSCRIPTION_NOT_ACTIVE', `The subscription is ${subscription.status}.`);
      }
      const { delivers, events } = streamingServices(services);
      if (!delivers) throw refuse('STREAMING_OFF', 'This deployment delivers no events.');
      const { tenantId } = context;
      const key = { id: path.subscription_id, tenantId };
      const feed = await events.open({
        ...{ tenantId, subscription, lastEventId },
        goesOn: async () => {
          if (caller.gone || !(await caller.isPermitted())) return false;
          const row = await services.reads.get(subscriptions.collection, key);
          return row !== undefined && subscriptionIn(row).status === 'active';
        },
      });
      const reply = streamed(messages(feed), 'text/event-stream');
      return { ...reply, headers: { ...reply.headers, ...UNBUFFERED } };
    },
  }),
];

/** Asks proxies to pass every message on at once. */
const UNBUFFERED = { 'X-Accel-Buffering': 'no' };

async function readSubscription(
  services: Services,
  request: Request<Readonly<{ subscription_id: Uuid }>>,
): Promise<Subscription | undefined> {
  const row = await readRow(services, request, {
    of: subscriptions,
    after: streamingJournal(request.context.tenantId),
    where: { id: request.path.subscription_id },
  });
  return row && subscriptionIn(row);
}

const subscriptionIn = ({ body }: Row): Subscription => JSON.parse(body) as Subscription;

/** Errors: QUERY_INVALID for an id that no event can have. */
function lastEventIdIn({
  lastEventId,
  query,
}: Request<unknown, undefined, Readonly<{ last_event_id?: string | undefined }>>) {
  const value = lastEventId ?? query.last_event_id;
  if (value === undefined) return undefined;
  const id = parseUuid(value);
  if (id !== undefined && uuidTime(id) !== undefined) return id;
  const name = lastEventId === undefined ? 'last_event_id' : 'Last-Event-ID';
  const message = 'must be the id of an event, a UUIDv7';
  const location = `${lastEventId === undefined ? 'query' : 'header'}.${name}`;
  throw refuse('QUERY_INVALID', `${name} ${message}.`, {
    findings: [{ location, message, value: value.slice(0, SHOWN_MAX) }],
  });
}

const SHOWN_MAX = 256;

/** Begins with a comment, so that the client gets the headers at once. */
async function* messages(feed: AsyncIterable<readonly OutgoingRecord[]>): AsyncGenerator<string> {
  yield COMMENT;
  for await (const records of feed) {
    yield records.length === 0 ? COMMENT : records.map(messageText).join('');
  }
}

const COMMENT = ':\n\n';

/** Remembers the message of a record, because all streams of a process share the record. */
function messageText(record: OutgoingRecord): string {
  let text = messageTexts.get(record);
  if (text === undefined) {
    const { 'ce-id': id, 'ce-type': type } = record.headers;
    text = `id: ${id!}\nevent: ${type!}\ndata: ${structuredEvent(record)}\n\n`;
    messageTexts.set(record, text);
  }
  return text;
}
const messageTexts = new WeakMap<OutgoingRecord, string>();
