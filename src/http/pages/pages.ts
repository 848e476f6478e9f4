import type { Router } from 'express';
import { catalogCodeOf } from '#src/http/error-code.ts';
import { codesOf } from '#src/http/code-uses.ts';
import { routerOf } from '#src/http/express-routers.ts';
import { once } from '#src/http/once.ts';
import { probe } from '#src/http/probes.ts';
import type { ProblemCodes } from '#src/http/problem.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import type { Description } from './description.ts';
import { errorPage } from './error-page.ts';
import { errorsListPage, noSuchErrorPage } from './errors-list.ts';
import { groupPage } from './group-page.ts';
import { overviewPage } from './overview-page.ts';
import { apiReference, slugOf, type ApiReference } from './reference.ts';
import { schemasPage } from './schemas-page.ts';
import { scriptReplies, SCRIPTS } from './scripts.ts';
import { searchIndex } from './search-index.ts';

/** Pages for people, not part of the description of the API (contract ledger §1.8, §1.9). Each is rendered once. */
export function pages(parts: {
  routes: readonly Route[];
  openapi: () => Promise<object>;
  codes: ProblemCodes;
}): Router {
  const { routes, openapi, codes } = parts;
  const uses = once(() => codesOf(routes));
  const refusals = once(() => [...uses().values()].map(({ refusal }) => refusal));
  const reference = once(async () => apiReference((await openapi()) as Description, refusals()));
  const page = (name: string, render: (of: ApiReference) => Reply): Route =>
    probe(
      name,
      once(async () => render(await reference())),
    );

  return routerOf([
    page('docs', overviewPage),
    page('docs/schemas', schemasPage),
    page('docs/search.json', (of) => searchIndex(of, refusals(), codes.errorCodeStyle)),
    ...Array.from(scriptReplies, ([file, reply]) => probe(`${SCRIPTS}/${file}`, () => reply)),
    page('docs/errors', () => errorsListPage(refusals(), codes.errorCodeStyle)),
    probe('docs/errors/{code}', ({ path }): Reply => {
      const { code } = path as { code: string };
      const use = uses().get(catalogCodeOf(code));
      if (use === undefined) return noSuchErrorPage(code);
      return errorPage({ ...use, operations: routes.length, codes });
    }),
    ...groupSlugs(routes).map((slug) =>
      page(`docs/${slug}`, (of) =>
        groupPage(
          of.groups.find((one) => one.slug === slug)!,
          of,
        ),
      ),
    ),
  ]);
}

const groupSlugs = (routes: readonly Route[]): string[] => [
  ...new Set(routes.map(({ tag }) => slugOf(tag))),
];
