import { randomUUID } from 'node:crypto';
import { status, type handleUnaryCall, type StatusObject } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { expectedOf } from './append.ts';
import { failure, streamDeleted, type Calls } from './calls.ts';
import { decide } from './decide.ts';
import type { Entry } from './event-log.ts';
import { streamOf } from './wire.ts';

/** The events are gone for readers; who appends again goes on with the numbers. */
export const softDelete =
  (calls: Calls): handleUnaryCall<DeleteReq, DeleteResp> =>
  (call, callback) => {
    remove(calls, call.request.getOptions(), 'deleted').then(
      ({ position }) => {
        const at = new streams.DeleteResp.Position();
        at.setCommitPosition(String(position)).setPreparePosition(String(position));
        callback(null, new streams.DeleteResp().setPosition(at));
      },
      (error: unknown) => callback(error as Partial<StatusObject>),
    );
  };

/** The stream can never be used again. */
export const tombstone =
  (calls: Calls): handleUnaryCall<TombstoneReq, TombstoneResp> =>
  (call, callback) => {
    remove(calls, call.request.getOptions(), 'tombstoned').then(
      ({ position }) => {
        const at = new streams.TombstoneResp.Position();
        at.setCommitPosition(String(position)).setPreparePosition(String(position));
        callback(null, new streams.TombstoneResp().setPosition(at));
      },
      (error: unknown) => callback(error as Partial<StatusObject>),
    );
  };

/* eslint-disable @typescript-eslint/only-throw-error -- gRPC's errors are plain objects. */
async function remove(
  { log }: Calls,
  options: DeleteReq.Options | TombstoneReq.Options | undefined,
  how: 'deleted' | 'tombstoned',
): Promise<Entry> {
  if (options === undefined) throw failure(status.INVALID_ARGUMENT, 'invalid-argument', {});
  const stream = streamOf(options.getStreamIdentifier());
  const verdict = decide(log, stream, expectedOf(options), [randomUUID()]);
  if (verdict.is === 'tombstoned') throw streamDeleted(stream);
  if (verdict.is === 'wrong') {
    throw failure(status.FAILED_PRECONDITION, 'wrong-expected-version', {
      'stream-name': stream,
      'expected-version': String(expectedOf(options)),
      'actual-version': String(verdict.actual),
    });
  }
  const system = (type: string, data: string) => ({
    ...{ id: randomUUID(), type, contentType: 'application/json' },
    ...{ data: Buffer.from(data), metadata: new Uint8Array() },
  });
  const [into, event] =
    how === 'deleted'
      ? [`$$${stream}`, system('$metadata', '{"$tb":9223372036854775807}')]
      : [stream, system('$streamDeleted', '{}')];
  return log.append(into, [event], { stream, how });
}
