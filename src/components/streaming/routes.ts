import { deliveryWriteRoutes } from '#commands/streaming/api/delivery.ts';
import { messageRoutes } from '#commands/streaming/api/message.ts';
import { replayWriteRoutes } from '#commands/streaming/api/replay.ts';
import { subscriptionWriteRoutes } from '#commands/streaming/api/subscription.ts';
import { deliveryReadRoutes } from '#queries/streaming/delivery.ts';
import { eventStreamRoutes } from '#queries/streaming/event-stream.ts';
import { manifestRoutes } from '#queries/streaming/manifest.ts';
import { replayReadRoutes } from '#queries/streaming/replay.ts';
import { subscriptionReadRoutes } from '#queries/streaming/subscription.ts';

export const routes = [
  ...manifestRoutes,
  ...replayWriteRoutes,
  ...replayReadRoutes,
  ...subscriptionWriteRoutes,
  ...subscriptionReadRoutes,
  ...deliveryWriteRoutes,
  ...deliveryReadRoutes,
  ...messageRoutes,
  ...eventStreamRoutes,
];
