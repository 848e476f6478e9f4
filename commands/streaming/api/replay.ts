import type { ReplayRecord } from '#src/events/streaming/streaming.ts';
import { refuse } from '#src/events/streaming/refusals.ts';
import { route } from '#src/http/route.ts';
import type { Shaped } from '#src/kernel/schema.ts';
import { membersIn, viewBy } from '#src/kernel/record-resource.ts';
import { createReplayBody, replaySchema } from '#src/resources/streaming/replay.ts';
import { subscriptionServices, type SubscriptionServices } from './services.ts';
import { submit } from './submit.ts';

export const replayWriteRoutes = [
  route({
    tag: 'Replays',
    method: 'post',
    operationId: 'createReplay',
    summary: 'Publish the events of a window again',
    description:
      'The relay publishes them from the log with the same ce-ids, at least once and after the replays requested before. ' +
      'Events that were recorded after the request are not part of it. Live events go first.',
    path: '/v1/streaming/replays',
    permission: { namespace: 'core', resource: 'streaming-manifest', action: 'post' },
    entityType: 'Replay',
    body: createReplayBody,
    idempotent: true,
    replies: { 202: replaySchema },
    refusals: [
      ...(['END_BEFORE_START', 'STREAMING_OFF', 'NO_BROKER', 'TOO_MANY_REPLAYS'] as const),
      'IDEMPOTENCY_KEY_IN_USE',
    ],
    async handle(request, services) {
      const streaming = subscriptionServices(services);
      mustBeWindow(request.body);
      mustBePublished(request.body, streaming);
      const window = membersIn(createReplayBody, request.body) as Shaped<typeof createReplayBody>;
      const fields = { ...window, status: 'pending' } as const;
      const { publishesTo } = streaming;
      const command = { type: 'CreateReplay', fields, publishesTo } as const;
      const { events, token, replayed } = await submit(request, services, command, 'keyed');
      const { replay } = events[0]!.data as Readonly<{ replay: ReplayRecord }>;
      return { status: 202, body: JSON.stringify(viewed(replay)), token, replayed };
    },
  }),
];

const viewed = viewBy(replaySchema);

function mustBeWindow({ from, to }: Shaped<typeof createReplayBody>): void {
  if (from <= to) return;
  const message = 'must not be before from';
  throw refuse('END_BEFORE_START', `to ${message}.`, {
    findings: [{ location: 'to', message, value: to }],
  });
}

function mustBePublished(
  { keys = [] }: Shaped<typeof createReplayBody>,
  { isEventKey }: SubscriptionServices,
): void {
  const findings = keys.flatMap((key, n) =>
    isEventKey(key)
      ? []
      : [{ location: `keys[${n}]`, message: 'must be the key of an event', value: key }],
  );
  const [first] = findings;
  if (first === undefined) return;
  throw refuse('MALFORMED_FIELD', `${first.location} ${first.message}.`, { findings });
}
