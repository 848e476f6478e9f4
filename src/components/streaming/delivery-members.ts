import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

/** Describes the members of deliveries, pulled messages and replays. */
export const deliveryMembers: Glossary = {
  subscriptionId: 'The subscription that the event is delivered to.',
  eventType: 'The ce-type of the event.',
  'Delivery.status':
    '`pending` was not attempted yet; `retrying` failed and is attempted again; `dead` is not, unless you retry it.',
  attempts: 'The attempts so far, in their order.',
  at: 'The time of the attempt, in UTC.',
  durationMs: 'How long the attempt took, in milliseconds.',
  statusCode: 'The HTTP status of the response; absent if there was none.',
  errorClass:
    'Why the attempt failed, such as `http_status`, `network_timeout` or `nacked`; absent if it succeeded.',
  nextAttemptAt: 'The time of the next attempt, in UTC; absent if none is planned.',

  ids: '1 to 1000 ids of dead deliveries.',
  'RequestedReplay.from': 'The earliest time of death, included.',
  'RequestedReplay.to': 'The latest time of death, included.',
  replayed: 'The number of dead deliveries that are attempted again.',

  max: 'The highest number of messages to return.',
  messages: 'The messages, each under a lease; none if there was nothing to deliver.',
  leaseId: 'Send it to acknowledge or return the message, or to extend its lease.',
  attempt: 'The number of this attempt to deliver the event, from 1.',
  event: 'The event, a CloudEvent in structured mode.',
  leaseIds: 'At most 1000 values of `leaseId`.',
  'ExtendMessageLeasesRequest.leaseMs':
    'The time until the leases expire, from now, in milliseconds: at most 600000.',
  acked: 'The number of messages that count as delivered.',
  nacked: 'The number of messages that are offered again, or dead after their last attempt.',
  extended: 'The number of leases that were extended.',

  ...membersOf(['Replay'], {
    from: 'The time of the first event, in UTC.',
    to: 'The time of the last event, in UTC.',
    keys: 'The keys of the events; absent for every event.',
    subjects: 'The values of ce-subject; absent for every one.',
  }),
};
