import type { Router } from 'express';
import { catalogCodeOf } from '#src/http/error-code.ts';
import { codesOf } from '#src/http/code-uses.ts';
import { routerOf } from '#src/http/express-routers.ts';
import { once } from '#src/http/once.ts';
import { probe } from '#src/http/probes.ts';
import type { ProblemCodes } from '#src/http/problem.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { apiPage } from './api-page.ts';
import type { Description } from './description.ts';
import { errorPage } from './error-page.ts';
import { errorsListPage, noSuchErrorPage } from './errors-list.ts';

/** Pages for people, not part of the description of the API (contract ledger §1.8, §1.9). */
export function pages(parts: {
  routes: readonly Route[];
  openapi: () => Promise<object>;
  codes: ProblemCodes;
}): Router {
  const { routes, openapi, codes } = parts;
  const uses = once(() => codesOf(routes));
  const refusals = once(() => [...uses().values()].map(({ refusal }) => refusal));
  const api = once(async () => apiPage((await openapi()) as Description, refusals()));
  const list = once(() => errorsListPage(refusals(), codes.errorCodeStyle));

  return routerOf([
    probe('docs', api),
    probe('docs/errors', list),
    probe('docs/errors/{code}', ({ path }): Reply => {
      const { code } = path as { code: string };
      const use = uses().get(catalogCodeOf(code));
      if (use === undefined) return noSuchErrorPage(code);
      return errorPage({ ...use, operations: routes.length, codes });
    }),
  ]);
}
