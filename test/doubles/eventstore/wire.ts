import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Proposed } from './event-log.ts';

type Place = Readonly<{ stream: string; revision: number; position: number; created: number }>;

/** An event as a reader gets it, encoded once for all who ever read it. `created` is in ms since 1970. */
export function eventBytes(event: Proposed, place: Place): Uint8Array {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(new shared.UUID().setString(event.id));
  recorded.setStreamIdentifier(identifier(place.stream));
  recorded.setStreamRevision(String(place.revision));
  recorded.setPreparePosition(String(place.position));
  recorded.setCommitPosition(String(place.position));
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', String(BigInt(place.created) * TICKS_PER_MS));
  recorded.setCustomMetadata(event.metadata);
  recorded.setData(event.data);
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(recorded);
  read.setCommitPosition(String(place.position));
  return new streams.ReadResp().setEvent(read).serializeBinary();
}

export const idOf = (bytes: Uint8Array): string =>
  streams.ReadResp.deserializeBinary(bytes).getEvent()?.getEvent()?.getId()?.getString() ?? '';

export const identifier = (stream: string): InstanceType<typeof shared.StreamIdentifier> =>
  new shared.StreamIdentifier().setStreamName(new Uint8Array(Buffer.from(stream)));

/** Which stream a request names. */
export const streamOf = (
  named: Readonly<{ getStreamName_asU8(): Uint8Array }> | undefined,
): string => Buffer.from(named?.getStreamName_asU8() ?? []).toString();

const TICKS_PER_MS = 10_000n;
