import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq, ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import google from 'google-protobuf/google/protobuf/empty_pb.js';
import time from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { Point } from './positions.ts';

/** Requests up to `limit` events of a stream: forwards from a revision, inclusive, or backwards from its end. */
export function streamRequest(stream: string, from: Revision | 'end', limit: number): ReadReq {
  const asked = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(nameOf(stream));
  if (from === 'end') asked.setEnd(EMPTY);
  else asked.setRevision(String(from));
  return request(
    options()
      .setStream(asked)
      .setReadDirection(from === 'end' ? BACKWARDS : FORWARDS)
      .setCount(String(limit))
      .setNoFilter(EMPTY),
  );
}

/** Requests up to `limit` events of the whole log from a point, inclusive. */
export const allRequest = (from: Point | 'start', limit: number): ReadReq =>
  request(options().setAll(allFrom(from)).setCount(String(limit)).setNoFilter(EMPTY));

/** Requests up to `limit` events of the whole log backwards, before a point; system events are included. */
export function backwardRequest(before: Point | 'end', limit: number): ReadReq {
  const all = before === 'end' ? new streams.ReadReq.Options.AllOptions() : allFrom(before);
  if (before === 'end') all.setEnd(EMPTY);
  const backwards = options().setReadDirection(BACKWARDS);
  return request(backwards.setAll(all).setCount(String(limit)).setNoFilter(EMPTY));
}

/** Subscribes to all events after a point, except those of system streams. */
export function subscribeRequest(after: Point | 'start'): ReadReq {
  const names = new streams.ReadReq.Options.FilterOptions.Expression().setRegex(NOT_OF_THE_SYSTEM);
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(names)
    .setCount(EMPTY)
    .setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL);
  const live = new streams.ReadReq.Options.SubscriptionOptions();
  return request(options().setAll(allFrom(after)).setSubscription(live).setFilter(filter));
}

/** Yields the parts of one append; a large one travels in several messages. */
export function* appendRequests(
  correlation: string,
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
  deadlineMs: number,
): Generator<BatchAppendReq> {
  const correlationId = new shared.UUID().setString(correlation);
  const deadline = new time.Timestamp();
  deadline.setSeconds(Math.floor(deadlineMs / 1000));
  deadline.setNanos((deadlineMs % 1000) * 1_000_000);
  const how = new streams.BatchAppendReq.Options()
    .setStreamIdentifier(nameOf(stream))
    .setDeadline(deadline);
  if (expected === NONE) how.setNoStream(NONE_THERE);
  else how.setStreamPosition(String(expected));

  let part = new streams.BatchAppendReq().setCorrelationId(correlationId).setOptions(how);
  let bytes = 0;
  for (const event of events) {
    const data = Buffer.from(event.data);
    const metadata = Buffer.from(event.metadata);
    if (bytes > 0 && bytes + data.length + metadata.length > PART_BYTES) {
      yield part;
      part = new streams.BatchAppendReq().setCorrelationId(correlationId);
      bytes = 0;
    }
    bytes += data.length + metadata.length;
    const message = new streams.BatchAppendReq.ProposedMessage()
      .setId(new shared.UUID().setString(event.id))
      .setData(data)
      .setCustomMetadata(metadata);
    message.getMetadataMap().set('type', event.type).set('content-type', 'application/json');
    part.addProposedMessages(message);
  }
  yield part.setIsFinal(true);
}

/** Errors: a defect of the caller, which must pass JSON texts as JSON.stringify writes them. */
export function mustBeWhole(events: readonly NewEvent[]): void {
  if (events.length === 0) throw new Error('An append needs an event');
  for (const { id, data, metadata } of events) {
    // UTF-8 has no lone surrogates: they would change when read back, and break the hash chain.
    if (!data.isWellFormed() || !metadata.isWellFormed()) throw new Error(`${id} is not Unicode`);
  }
}

const options = (): ReadReq.Options =>
  new streams.ReadReq.Options()
    .setResolveLinks(false)
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(EMPTY));

const request = (how: ReadReq.Options): ReadReq => new streams.ReadReq().setOptions(how);

function allFrom(from: Point | 'start'): ReadReq.Options.AllOptions {
  const all = new streams.ReadReq.Options.AllOptions();
  if (from === 'start') return all.setStart(EMPTY);
  const position = new streams.ReadReq.Options.Position();
  position.setCommitPosition(from.commit).setPreparePosition(from.prepare);
  return all.setPosition(position);
}

const nameOf = (stream: string): InstanceType<typeof shared.StreamIdentifier> =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream));

const { FORWARDS, BACKWARDS } = streams.ReadReq.Options.ReadDirection;
const EMPTY = new shared.Empty();
const NONE_THERE = new google.Empty();

/** Excludes system streams, as the client does, by a pattern that the server understands. */
const NOT_OF_THE_SYSTEM = '^[^$]';

/** The server sends a checkpoint for every 32 × this many events that it examined. */
const CHECKPOINT_INTERVAL = 32;

/** A message of 17 MiB breaks every append in flight. */
const PART_BYTES = 1024 * 1024;
