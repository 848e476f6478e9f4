import { recordReadRoutes } from '#queries/record.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { subscriptionResource } from '#src/resources/streaming/subscription.ts';

export const subscriptionReadRoutes = recordReadRoutes(subscriptionResource, {
  path: '/v1',
  refusals: [],
  open: ({ context }) => Promise.resolve({ after: streamingJournal(context.tenantId) }),
}).map((route) => ({ ...route, noMetadata: true as const }));
