import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { getSupportedMethods, gossipRead } from './about.ts';
import { append } from './append.ts';
import { batchAppend } from './batch-append.ts';
import { Calls } from './calls.ts';
import { openControl } from './control.ts';
import { EventLog } from './event-log.ts';
import { Faults } from './faults.ts';
import { Front } from './front.ts';
import type { Served } from './outlet.ts';
import { read } from './read.ts';
import { softDelete, tombstone } from './removals.ts';
import { SystemEvents } from './system-events.ts';

/*
 * A protocol double: speaks the event store's protocol over gRPC as its recorded behaviour says, on a durable log
 * of its own, and fails on demand. It proves what a client of that protocol does, nothing about any server.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '2113' },
    'control-port': { type: 'string', default: '0' },
    data: { type: 'string' },
  },
});
if (values.data === undefined) {
  console.error('Usage: main.ts --data DIR [--port N] [--control-port N]');
  process.exit(64);
}
mkdirSync(values.data, { recursive: true });

const log = await EventLog.open(values.data);
const faults = new Faults();
const server = new Server({
  'grpc.max_concurrent_streams': 100,
  'grpc.max_receive_message_length': 17 * 1024 * 1024,
});
const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
const front = new Front((socket) => connections.injectConnection(socket), faults);
const system = new SystemEvents(log);
const calls = new Calls(log, faults, front, system);

/** Events are encoded already. */
const serveRead = {
  ...streams.StreamsService.read,
  responseSerialize: (served: Served) =>
    Buffer.isBuffer(served) ? served : Buffer.from(served.serializeBinary()),
};
server.addService(
  { ...streams.StreamsService, read: serveRead },
  {
    read: read(calls),
    append: append(calls),
    batchAppend: batchAppend(calls),
    delete: softDelete(calls),
    tombstone: tombstone(calls),
  },
);
server.addService(features.ServerFeaturesService, {
  getSupportedMethods: getSupportedMethods(calls),
});
server.addService(gossip.GossipService, { read: gossipRead(calls) });

await system.started();
await front.listen(Number(values.port));
const control = await openControl(faults, Number(values['control-port']));
console.log(
  `ready esdb://127.0.0.1:${String(front.port)}?tls=false control http://127.0.0.1:${String(control.port)}`,
);

process.once('SIGTERM', () => {
  front.close();
  control.server.close();
  server.forceShutdown();
  void log.close().then(() => process.exit(0));
});
