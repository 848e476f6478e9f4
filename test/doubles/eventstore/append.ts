import { Metadata, status, type handleClientStreamingCall } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { APPEND_BYTES_MAX, type Outcome } from './appends.ts';
import { failure, notLeader, streamDeleted, type Calls } from './calls.ts';
import type { Proposed } from './event-log.ts';
import type { Expected } from './decide.ts';
import { streamOf } from './wire.ts';

/** One append over a call of its own. A wrong revision is an answer here, not an error. */
export const append =
  (calls: Calls): handleClientStreamingCall<AppendReq, AppendResp> =>
  (call, callback) => {
    if (!calls.admit(call)) return;
    let options: AppendReq.Options | undefined;
    const events: Proposed[] = [];
    call.on('data', (request: AppendReq) => {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposed(message));
    });
    call.on('end', () => {
      if (options === undefined) return;
      const stream = streamOf(options.getStreamIdentifier());
      const expected = expectedOf(options);
      void calls.perform({ stream, expected, events, deadline: Infinity }).then((outcome) => {
        if (outcome.is === 'drop') calls.drop(call);
        else if (outcome.is === 'written' || outcome.is === 'wrong')
          callback(null, answer(outcome));
        else if (outcome.is !== 'unanswered') callback(errorOf(outcome.is));
      });

      const errorOf = (is: Exclude<Outcome['is'], 'written' | 'wrong' | 'drop' | 'unanswered'>) => {
        const limit = { 'maximum-append-size': String(APPEND_BYTES_MAX) };
        switch (is) {
          case 'not leader':
            return notLeader(calls.address);
          case 'tombstoned':
            return streamDeleted(stream);
          case 'too large':
            return failure(status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', limit);
          case 'timeout':
            return {
              code: status.ABORTED,
              details: 'Operation timed out',
              metadata: new Metadata(),
            };
          case 'not ready':
            return { code: status.UNAVAILABLE, details: 'Server Is Not Ready' };
        }
      };
    });
  };

function answer(outcome: Extract<Outcome, { is: 'written' | 'wrong' }>): AppendResp {
  if (outcome.is === 'wrong') {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.actual >= 0) wrong.setCurrentRevision(String(outcome.actual));
    return new streams.AppendResp().setWrongExpectedVersion(wrong);
  }
  const success = new streams.AppendResp.Success().setCurrentRevision(String(outcome.revision));
  if (outcome.last !== undefined) {
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(outcome.last.position));
    position.setPreparePosition(String(outcome.last.position));
    success.setPosition(position);
  }
  return new streams.AppendResp().setSuccess(success);
}

const proposed = (message: AppendReq.ProposedMessage): Proposed => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

export function expectedOf(
  options: Readonly<{
    hasRevision(): boolean;
    getRevision(): string;
    hasNoStream(): boolean;
    hasStreamExists(): boolean;
  }>,
): Expected {
  if (options.hasRevision()) return Number(options.getRevision());
  if (options.hasNoStream()) return -1;
  return options.hasStreamExists() ? 'exists' : 'any';
}
