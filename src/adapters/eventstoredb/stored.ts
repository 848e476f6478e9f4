import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Uuid } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';
import { positionOf } from './positions.ts';

/** An event as it came; undefined for an answer that holds none. Data and metadata are the bytes that were sent. */
export function storedOf(response: ReadResp): StoredEvent | undefined {
  const recorded = response.getEvent()?.getEvent();
  if (recorded === undefined) return undefined;
  const commit = recorded.getCommitPosition();
  if (commit === NO_POSITION) {
    throw new Unavailable(
      'The event store tells no positions in streams: 22.10 or later is needed',
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

/** What the log itself and its server keep there besides is nobody else's matter. */
export const isOurs = ({ stream, type }: StoredEvent): boolean =>
  !stream.startsWith('$') && !type.startsWith('$') && stream !== LOG_STREAM;

/** Its first event names the log. */
export const LOG_STREAM = 'quipu-log';

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

/** What older servers say: the greatest number of 64 bits. */
const NO_POSITION = '18446744073709551615';
