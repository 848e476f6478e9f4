import type { handleUnaryCall } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { Calls } from './calls.ts';

/** What clients ask before they send appends over one stream. */
export const getSupportedMethods =
  (calls: Calls): handleUnaryCall<Empty, SupportedMethods> =>
  (call, callback) => {
    if (!calls.admit(call)) return;
    const answer = new features.SupportedMethods().setEventStoreServerVersion('24.6.0');
    for (const method of ['read', 'append', 'delete', 'tombstone', 'batchappend']) {
      const supported = new features.SupportedMethod()
        .setServiceName('event_store.client.streams.streams')
        .setMethodName(method);
      if (method === 'batchappend') supported.addFeatures('deadline_duration');
      answer.addMethods(supported);
    }
    callback(null, answer);
  };

/** A cluster of one, which leads. */
export const gossipRead =
  (calls: Calls): handleUnaryCall<Empty, ClusterInfo> =>
  (call, callback) => {
    if (!calls.admit(call)) return;
    const { host, port } = calls.address;
    const member = new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(INSTANCE))
      .setTimeStamp(String(Date.now()))
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port));
    callback(null, new gossip.ClusterInfo().setMembersList([member]));
  };

const INSTANCE = '00000000-0000-4000-8000-000000000001';
