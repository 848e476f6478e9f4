import { recordReadRoutes } from '#queries/record.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { replayResource } from '#src/resources/streaming/replay.ts';

export const replayReadRoutes = recordReadRoutes(replayResource, {
  path: '/v1/streaming',
  refusals: [],
  open: ({ context }) => Promise.resolve({ after: streamingJournal(context.tenantId) }),
}).map((route) => ({
  ...route,
  permission: { namespace: 'core', resource: 'streaming-manifest', action: 'get' } as const,
  noMetadata: true as const,
}));
