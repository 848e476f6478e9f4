import { refuse } from '#src/kernel/errors.ts';
import type { Route } from './route.ts';
import type { Readiness, Services } from './services.ts';

/** What a process that listens says of itself before its stores are open. */
export type Starting = Readonly<{
  readiness: () => Readiness;
  /** For people: the store it waits for. */
  waitsFor: () => string;
}>;

/** The same routes before the stores are open: each is refused, and nothing of its request but the path is read. */
export const closedRoutes = (
  routes: readonly Route[],
  { waitsFor }: Pick<Starting, 'waitsFor'>,
): Route[] =>
  routes.map(({ operationId, summary, tag, method, path, permission, entityType }): Route => ({
    ...{ operationId, summary, tag, method, path, permission, entityType },
    ...{ body: undefined, filters: {}, paging: undefined, replies: {}, refusals: [] },
    handle: () => {
      throw refuse('UNAVAILABLE', `The server is starting; it waits for ${waitsFor()}.`, {
        retryAfterSeconds: RETRY_AFTER_S,
      });
    },
  }));

/** Only `/readyz` asks for a service then. */
export const servicesWhileStarting = ({ readiness }: Pick<Starting, 'readiness'>): Services =>
  ({ readiness: async () => readiness() }) as unknown as Services;

/** For a server that is given its services at once. */
export const NOT_STARTING: Starting = {
  readiness: () => ({ ready: false, checks: {}, deploymentMode: '' }),
  waitsFor: () => '',
};

const RETRY_AFTER_S = 2;
