import { Refusal, type RefusalName } from '#src/kernel/errors.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { refusalsOf } from '#src/http/operation-refusals.ts';
import { codeIn, refusalIn } from '#src/http/error-code.ts';
import { problemOf, statuses, type ProblemCodes } from '#src/http/problem.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Route } from '#src/http/route.ts';
import { breakable, markup, type Markup } from './markup.ts';
import { pageReply } from './page.ts';

export type ErrorPage = Readonly<{
  users: readonly Route[];
  /** How many operations there are. */
  operations: number;
  codes: ProblemCodes;
  catalog: RefusalCatalog;
}>;

/** What one code means, who gives it, and how its document looks. */
export function errorPage(name: RefusalName, about: ErrorPage): Reply {
  const facts = refusalIn(name, about.catalog);
  const { title, means } = facts;
  const code = codeIn(facts, about.codes.errorCodeStyle);
  const main = markup`
<p class="soft"><a href="/docs/errors">Errors</a> / <code>${code}</code></p>
<h1>${title}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${statusesOf(name, about)}</dd>
</dl>
<h2>What it means</h2>
<p>${means}</p>
<h2>Which operations give it</h2>
${usersOf(about)}
<h2>Example</h2>
<pre>${sampleOf(name, about)}</pre>
`;
  return pageReply({ title: `${code} ${title}`, main });
}

function usersOf({ users, operations }: ErrorPage): Markup {
  if (users.length === 0)
    return markup`<p>None of this release: the code is kept for what is to come.</p>`;
  if (users.length === operations) return markup`<p>Any of them.</p>`;
  return markup`<ul class="fields">${users.map(
    ({ operationId, method, path }) => markup`
<li><span class="method ${method}">${method.toUpperCase()}</span>
<a href="/docs#${operationId}"><code>${breakable(path)}</code></a></li>`,
  )}</ul>`;
}

/** Its own, and those that single operations have for it. */
function statusesOf(name: RefusalName, { users, catalog }: ErrorPage): string {
  const others = users.flatMap((route) =>
    [...refusalsOf(route)].filter(([, names]) => names.includes(name)).map(([status]) => status),
  );
  return [...new Set([statuses[refusalIn(name, catalog).kind], ...others])].join(
    ', or in some operations ',
  );
}

/** Written by what writes the real ones. */
function sampleOf(name: RefusalName, { users, codes, catalog }: ErrorPage): string {
  const { detail, errors, entityType = users[0]?.entityType } = refusalIn(name, catalog);
  const refusal = new Refusal(name, { detail, ...(errors && { findings: errors }) });
  const problems = { ...codes, catalog, ids: { next: () => SAMPLE_ID }, log: () => {} };
  const { body } = problemOf(refusal, { requestId: '', entityType }, problems);
  return JSON.stringify(JSON.parse(String(body)), null, 2);
}

const SAMPLE_ID = '0197f3a0-1111-7aaa-8bbb-000000000001' as Uuid;
