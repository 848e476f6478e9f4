import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import code from '@eventstore/db-client/generated/code_pb.js';
import type { Code } from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import wellKnown from 'google-protobuf/google/protobuf/any_pb.js';
import { APPEND_BYTES_MAX, type Append, type Outcome } from './appends.ts';
import type { Expected } from './decide.ts';
import type { Proposed } from './event-log.ts';
import { notLeader, type Calls } from './calls.ts';
import { identifier, streamOf } from './wire.ts';

type Begun = { options: BatchAppendReq.Options; events: Proposed[] };

/** Many appends over one stream, told apart by their correlation ids; a large one comes in parts. */
export const batchAppend =
  (calls: Calls): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> =>
  (call) => {
    if (!calls.admit(call)) return;
    const begun = new Map<string, Begun>();
    let ended = false;

    call.on('data', (request: BatchAppendReq) => {
      const correlation = request.getCorrelationId()?.getString() ?? '';
      const options = request.getOptions();
      const append = begun.get(correlation) ?? (options && { options, events: [] });
      if (append === undefined) return;
      begun.set(correlation, append);
      append.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      begun.delete(correlation);
      void perform(correlation, append);
    });
    call.on('error', () => (ended = true));
    call.on('end', () => {
      ended = true;
      call.end();
    });

    const perform = async (correlation: string, { options, events }: Begun): Promise<void> => {
      const stream = streamOf(options.getStreamIdentifier());
      const deadline = options.getDeadline()?.toDate().getTime() ?? Infinity;
      const append: Append = { stream, events, expected: expectedOf(options), deadline };
      const outcome = await calls.perform(append);
      if (ended || outcome.is === 'unanswered') return;
      if (outcome.is === 'drop') calls.drop(call);
      else if (outcome.is === 'not leader') call.emit('error', notLeader(calls.address));
      else call.write(answer(correlation, stream, outcome));
    };
  };

type Answered = Exclude<Outcome, { is: 'drop' | 'unanswered' | 'not leader' }>;

function answer(correlation: string, stream: string, outcome: Outcome): BatchAppendResp {
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(new shared.UUID().setString(correlation));
  response.setStreamIdentifier(identifier(stream));
  if (outcome.is !== 'written') return response.setError(errorOf(stream, outcome as Answered));

  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(outcome.revision));
  if (outcome.last !== undefined) {
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(String(outcome.last.position));
    position.setPreparePosition(String(outcome.last.position));
    success.setPosition(position);
  }
  return response.setSuccess(success);
}

function errorOf(stream: string, outcome: Answered): InstanceType<typeof statusPb.Status> {
  const error = new statusPb.Status();
  const pack = (code: Code, name: string, message: Readonly<{ serializeBinary(): Uint8Array }>) => {
    const details = new wellKnown.Any();
    details.pack(message.serializeBinary(), `event_store.client.${name}`);
    return error.setCode(code).setMessage(name).setDetails(details);
  };
  switch (outcome.is) {
    case 'wrong': {
      const wrong = new shared.WrongExpectedVersion();
      if (outcome.actual >= 0) wrong.setCurrentStreamRevision(String(outcome.actual));
      return pack(code.Code.FAILED_PRECONDITION, 'WrongExpectedVersion', wrong);
    }
    case 'tombstoned': {
      const deleted = new shared.StreamDeleted().setStreamIdentifier(identifier(stream));
      return pack(code.Code.FAILED_PRECONDITION, 'StreamDeleted', deleted);
    }
    case 'too large': {
      const tooLarge = new shared.MaximumAppendSizeExceeded().setMaxappendsize(APPEND_BYTES_MAX);
      return pack(code.Code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', tooLarge);
    }
    case 'timeout':
      return pack(code.Code.DEADLINE_EXCEEDED, 'Timeout', new shared.Timeout());
    default:
      pack(code.Code.UNAVAILABLE, 'NotHandled', new shared.Empty()); // Nothing that clients know by name.
      return error.setMessage('Server Is Not Ready');
  }
}

const proposed = (message: BatchAppendReq.ProposedMessage): Proposed => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

function expectedOf(options: BatchAppendReq.Options): Expected {
  if (options.hasStreamPosition()) return Number(options.getStreamPosition());
  if (options.hasNoStream()) return -1;
  return options.hasStreamExists() ? 'exists' : 'any';
}
