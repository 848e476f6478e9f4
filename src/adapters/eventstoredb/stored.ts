import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Uuid } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';
import { positionOf } from './positions.ts';

/** Returns an event as stored; undefined for a response without one. Data and metadata are the original bytes. */
export function storedOf(response: ReadResp): StoredEvent | undefined {
  const recorded = response.getEvent()?.getEvent();
  if (recorded === undefined) return undefined;
  const commit = recorded.getCommitPosition();
  if (commit === NO_POSITION) {
    throw new Unavailable(
      'The event store reports no stream positions: 22.10 or later is required',
    );
  }
  return {
    id: (recorded.getId()?.getString() ?? '') as Uuid,
    type: recorded.getMetadataMap().get('type') ?? '',
    data: textOf(recorded.getData_asU8()),
    metadata: textOf(recorded.getCustomMetadata_asU8()),
    stream: textOf(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()),
    revision: Number(recorded.getStreamRevision()),
    position: positionOf(commit),
  };
}

/** Excludes events that the server keeps there, and those about the log itself. */
export const isOurs = ({ stream, type }: StoredEvent): boolean =>
  !stream.startsWith('$') && !type.startsWith('$') && stream !== LOG_STREAM;

/** The stream whose first event holds the log's id. */
export const LOG_STREAM = 'quipu-log';

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

/** Sent by older servers for a missing position: the greatest number of 64 bits. */
const NO_POSITION = '18446744073709551615';
