import { catalogOf } from '#src/http/error-code.ts';
import { usesOf } from '#src/http/error-uses.ts';
import { once } from '#src/http/once.ts';
import { probe } from '#src/http/probes.ts';
import type { ProblemCodes } from '#src/http/problem.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { apiPage } from './api-page.ts';
import type { Description } from './description.ts';
import { errorPage } from './error-page.ts';
import { errorsListPage, noSuchErrorPage } from './errors-list.ts';
import { findCode } from './find-code.ts';

/** Pages for people, beside the API and not part of its description (contract ledger §1.8, §1.9). */
export function pages(parts: {
  routes: readonly Route[];
  openapi: () => object;
  codes: ProblemCodes;
}): Route[] {
  const { routes, openapi, codes } = parts;
  const catalog = catalogOf(routes);
  const uses = once(() => usesOf(routes));
  const api = once(() => apiPage(openapi() as Description, catalog));
  const list = once(() => errorsListPage(catalog, codes.errorCodeStyle));

  return [
    probe('docs', api),
    probe('docs/errors', list),
    probe('docs/errors/{code}', ({ path }): Reply => {
      const { code } = path as { code: string };
      const name = findCode(code, catalog);
      if (name === undefined) return noSuchErrorPage(code);
      const users = uses().get(name) ?? [];
      return errorPage(name, { users, operations: routes.length, codes, catalog });
    }),
  ];
}
