import { status, type handleServerStreamingCall } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { streamDeleted, type Calls } from './calls.ts';
import { filterOf } from './filter.ts';
import { Outlet, type Served } from './outlet.ts';
import { pointOf } from './point.ts';
import { serveSubscription } from './subscription.ts';
import { identifier, streamOf } from './wire.ts';

type Options = ReadReq.Options;

/** Reads of a stream and of everything, both ways, and subscriptions to everything. */
export const read =
  (calls: Calls): handleServerStreamingCall<ReadReq, Served> =>
  (call) => {
    if (!calls.admit(call)) return;
    const options = call.request.getOptions();
    if (options === undefined) return void call.end();
    const outlet = new Outlet(call);
    const serve = async (): Promise<void> => {
      if (options.hasSubscription() && options.hasStream()) {
        call.emit('error', { code: status.UNIMPLEMENTED, details: 'Subscribe to $all' });
      } else if (options.hasSubscription()) await serveSubscription(calls, options, outlet);
      else if (options.hasStream()) await readStream(calls, options, outlet);
      else await readAll(calls, options, outlet);
    };
    serve().catch((error: unknown) => {
      call.emit('error', { code: status.INTERNAL, details: String(error) });
    });
  };

async function readStream({ log }: Calls, options: Options, outlet: Outlet): Promise<void> {
  const asked = options.getStream();
  const name = streamOf(asked?.getStreamIdentifier());
  const stream = log.stream(name);
  if (stream?.removed === 'tombstoned') {
    outlet.fail(streamDeleted(name));
    return;
  }
  const there = stream?.events.findLastIndex((event) => log.isDurable(event)) ?? -1;
  if (stream === undefined || stream.removed === 'deleted' || there < 0) {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier(name));
    await outlet.write(new streams.ReadResp().setStreamNotFound(missing));
    outlet.end();
    return;
  }

  const forwards = isForwards(options);
  const edge = asked?.hasEnd() ? there : asked?.hasStart() ? 0 : Number(asked?.getRevision());
  const start = forwards ? Math.max(edge, stream.from) : Math.min(edge, there);
  for (let n = 0, at = start; n < Number(options.getCount()); n += 1, at += forwards ? 1 : -1) {
    const event = at < stream.from || at > there ? undefined : stream.events[at];
    if (event === undefined || !(await outlet.write(log.bytes(event)))) break;
  }
  outlet.end();
}

/** Forwards from a position, inclusive; backwards, exclusive. */
async function readAll({ log }: Calls, options: Options, outlet: Outlet): Promise<void> {
  const forwards = isForwards(options);
  const filter = filterOf(options);
  const { commit } = pointOf(options, log);
  let at = log.numberAt(commit);
  if (!forwards) at -= 1;
  for (let n = 0; n < Number(options.getCount()); at += forwards ? 1 : -1) {
    const event = log.entry(at);
    if (event === undefined) break;
    if (!filter(event)) continue;
    if (!(await outlet.write(log.bytes(event)))) break;
    n += 1;
  }
  outlet.end();
}

const isForwards = (options: Options): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS;
