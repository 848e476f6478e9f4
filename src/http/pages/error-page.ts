import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { refusalsOf } from '#src/http/operation-refusals.ts';
import { codeIn } from '#src/http/error-code.ts';
import type { CodeUse } from '#src/http/code-uses.ts';
import { problemOf, statuses, type ProblemCodes } from '#src/http/problem.ts';
import type { Reply } from '#src/http/reply.ts';
import { silentLog } from '#src/ports/log.ts';
import { breakable, markup, type Markup } from './markup.ts';
import { pageReply } from './page.ts';
import { inline } from './prose.ts';
import { slugOf } from './reference.ts';

export type ErrorPage = CodeUse &
  Readonly<{
    /** The number of all operations. */
    operations: number;
    codes: ProblemCodes;
  }>;

/** Explains one code, with the operations that give it and a sample of its document. */
export function errorPage(about: ErrorPage): Reply {
  const { title, means } = about.refusal;
  const code = codeIn(about.refusal, about.codes.errorCodeStyle);
  const main = markup`
<p class="soft"><a href="/docs/errors">Errors</a> / <code>${code}</code></p>
<h1>${title}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${statusesOf(about)}</dd>
</dl>
<h2>What it means</h2>
<p>${inline(means)}</p>
<h2>Which operations give it</h2>
${usersOf(about)}
<h2>Example</h2>
<pre>${sampleOf(about)}</pre>
`;
  return pageReply({ title: `${code} ${title}`, main });
}

function usersOf({ users, operations }: ErrorPage): Markup {
  if (users.length === 0)
    return markup`<p>None of this release: the code is kept for what is to come.</p>`;
  if (users.length === operations) return markup`<p>Any of them.</p>`;
  return markup`<ul class="fields">${users.map(
    ({ operationId, method, path, tag }) => markup`
<li><span class="method ${method}">${method.toUpperCase()}</span>
<a href="/docs/${slugOf(tag)}#${operationId}"><code>${breakable(path)}</code></a></li>`,
  )}</ul>`;
}

/** Returns the status of the code, and those that single operations use instead. */
function statusesOf({ name, refusal, users }: CodeUse): string {
  const others = users.flatMap((route) =>
    [...refusalsOf(route)].filter(([, names]) => names.includes(name)).map(([status]) => status),
  );
  return [...new Set([statuses[refusal.kind], ...others])].join(', or in some operations ');
}

/** Builds a sample with the function that writes real documents. */
function sampleOf({ name, refusal, users, codes }: ErrorPage): string {
  const { detail, errors, entityType = users[0]?.entityType } = refusal;
  const sample = new Refusal(name, { detail, ...(errors && { findings: errors }) });
  const problems = {
    ...codes,
    catalog: { [name]: refusal },
    ids: { next: () => SAMPLE_ID },
    log: silentLog,
  };
  const { body } = problemOf(sample, { requestId: '', entityType }, problems);
  return JSON.stringify(JSON.parse(String(body)), null, 2);
}

const SAMPLE_ID = '0197f3a0-1111-7aaa-8bbb-000000000001' as Uuid;
