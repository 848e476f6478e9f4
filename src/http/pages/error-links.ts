import { codeIn } from '#src/http/error-code.ts';
import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import { markup, type Markup } from './markup.ts';

export type ErrorLink = (code: string) => Markup;

/** Links codes, in either style, to their pages, with the title of each. */
export function errorLinks(refusals: readonly ExplainedRefusal[]): ErrorLink {
  const titles = new Map(
    refusals.flatMap((one) => [
      [one.code, one.title],
      [codeIn(one, 'bare'), one.title],
    ]),
  );
  return (code) =>
    markup`<a class="code" href="/docs/errors/${code}"><code>${code}</code> ${titles.get(code)}</a>`;
}
