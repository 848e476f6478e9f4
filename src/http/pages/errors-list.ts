import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import { codeIn, type ErrorCodeStyle } from '#src/http/error-code.ts';
import { statuses } from '#src/http/problem.ts';
import type { Reply } from '#src/http/reply.ts';
import { markup, type Markup } from './markup.ts';
import { pageReply } from './page.ts';
import { inline } from './prose.ts';

/** Lists every code, in the order of codes. */
export function errorsListPage(
  refusals: readonly ExplainedRefusal[],
  style?: ErrorCodeStyle,
): Reply {
  const main = markup`
<h1>Errors</h1>
<p>Every error is a problem document (RFC 9457, <code>application/problem+json</code>). <code>code</code> is stable;
the title and the status belong to it. <code>detail</code> says what happened, and <code>errors</code> lists everything
found wrong, with its place in the request.</p>
${table(refusals, style)}
`;
  return pageReply({ title: 'Errors', main });
}

/** Replies to a code that does not exist. */
export function noSuchErrorPage(code: string): Reply {
  const main = markup`
<h1>No such error</h1>
<p>No operation gives the code <code>${code.slice(0, SHOWN_MAX)}</code>. <a href="/docs/errors">All codes</a></p>
`;
  return pageReply({ title: 'No such error', main, status: 404 });
}

const SHOWN_MAX = 40;

const table = (refusals: readonly ExplainedRefusal[], style?: ErrorCodeStyle): Markup => markup`
<table class="stacks">
<thead><tr><th>Code</th><th>Status</th><th>Title</th><th>Meaning</th></tr></thead>
<tbody>${[...refusals].sort((a, b) => (a.code < b.code ? -1 : 1)).map((one) => row(one, codeIn(one, style)))}</tbody>
</table>`;

const row = ({ kind, title, means }: ExplainedRefusal, code: string): Markup => markup`
<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td>
<td>${statuses[kind]}</td><td>${title}</td>
<td>${inline(means)}</td></tr>`;
