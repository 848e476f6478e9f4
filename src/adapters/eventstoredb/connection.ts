import { readFileSync } from 'node:fs';
import {
  EventStoreDBClient,
  type ChannelCredentialOptions,
  type SingleNodeOptions,
} from '@eventstore/db-client';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';

export type ReadCall = ReturnType<StreamsClient['read']>;
export type AppendCall = ReturnType<StreamsClient['batchAppend']>;

/**
 * The client, used for connections: discovery, the leader, reconnecting, credentials. Messages are built here
 * (messages.ts): its own append and read functions parse and write every JSON text again, which costs several times
 * everything else, and would hide changes that others made to the bytes.
 *
 * All requests go to the leader: a follower may lag, and rereading a stream to learn the outcome of an append must
 * return every event.
 */
export class EventStoreConnection extends EventStoreDBClient {
  /** The channel of the last call: the client opens another one when it reconnects, and closes the old one. */
  #channel: ReturnType<StreamsClient['getChannel']> | undefined;

  /** Starts a read. Errors: those of starting it; the call reports its own. */
  async read(request: ReadReq, deadlineMs = Infinity): Promise<ReadCall> {
    const open = this.GRPCStreamCreator(streams.StreamsClient, 'read', (client) => {
      this.#channel = client.getChannel();
      return client.read(request, ...this.#arguments(deadlineMs));
    });
    return open();
  }

  /** Opens one call that carries any number of appends. */
  async batchAppend(): Promise<AppendCall> {
    const open = this.GRPCStreamCreator(streams.StreamsClient, 'batchAppend', (client) => {
      this.#channel = client.getChannel();
      return client.batchAppend(...this.#arguments(Infinity));
    });
    return open();
  }

  /** Ends every call and the connection. */
  async shut(): Promise<void> {
    await this.dispose();
    this.#channel?.close();
  }

  #arguments(deadlineMs: number): ReturnType<EventStoreConnection['callArguments']> {
    if (deadlineMs === Infinity)
      return this.callArguments({ requiresLeader: true }, { deadline: Infinity });
    return this.callArguments({ requiresLeader: true, deadline: deadlineMs });
  }
}

/**
 * Parses `esdb://`, `esdb+discover://`, `kurrentdb://` and `kurrentdb+discover://` addresses as the client does. Sends
 * nothing yet. Connections of one process with the same interval share one HTTP/2 connection, which carries 100 calls:
 * a different `keepAliveMs` separates them. Errors: an invalid address.
 */
export function connect(url: string, keepAliveMs?: number): EventStoreConnection {
  const { hosts, dnsDiscover, defaultCredentials, ...options } = parseConnectionString(
    url.replace(/^kurrentdb(\+discover)?:/, 'esdb$1:'),
  );
  const [first] = hosts;
  if (first === undefined) throw new Error(`${url} names no host`);
  const settings = {
    ...options,
    throwOnAppendFailure: true,
    ...(keepAliveMs !== undefined && { keepAliveInterval: keepAliveMs }),
  };
  const endpoints = dnsDiscover
    ? { discover: first }
    : hosts.length > 1
      ? { endpoints: hosts }
      : { endpoint: first };
  return new EventStoreConnection(
    { ...settings, ...endpoints } as SingleNodeOptions, // One constructor for all three.
    channelOf(options),
    defaultCredentials,
  );
}

function channelOf({
  tls,
  tlsCAFile,
  userCertFile,
  userKeyFile,
}: Partial<ReturnType<typeof parseConnectionString>>): ChannelCredentialOptions {
  if (tls === false) return { insecure: true };
  return {
    insecure: false,
    ...(tlsCAFile !== undefined && { rootCertificate: readFileSync(tlsCAFile) }),
    ...(userCertFile !== undefined && { userCertFile: readFileSync(userCertFile) }),
    ...(userKeyFile !== undefined && { userKeyFile: readFileSync(userKeyFile) }),
  };
}
