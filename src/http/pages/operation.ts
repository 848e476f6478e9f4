import { codeIn } from '#src/http/error-code.ts';
import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import {
  nameOf,
  type Content,
  type Description,
  type DescribedOperation,
  type Parameter,
  type Reference,
} from './description.ts';
import { breakable, markup, type Markup } from './markup.ts';
import { field, schemaFields } from './schema.ts';

export type Placed = Readonly<{ method: string; path: string; operation: DescribedOperation }>;

/** Renders one operation, collapsed. `common` are the codes that every operation may return. */
export function operationSection(
  { method, path, operation }: Placed,
  { components }: Description,
  common: ReadonlySet<string>,
  link: ErrorLink,
): Markup {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const own = parameters.filter((one): one is Parameter => !isReference(one));
  const shared = parameters.filter(isReference).map(({ $ref }) => nameOf($ref));
  return markup`
<details>
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code class="path">${breakable(path)}</code>
<span class="what">${summary}</span></summary>
<div id="${operationId}">
<p class="soft"><code>${operationId}</code> · needs <code>${operation['x-permission']}</code> when access management is on</p>
${heading('Parameters', own.length + shared.length)}
${own.length > 0 ? markup`<ul class="fields">${own.map(parameterField)}</ul>` : undefined}
${sharedLine(shared)}
${requestBody && markup`<h3>Body</h3>${contentOf(requestBody.content)}`}
<h3>Answers</h3>
<ul class="fields">${Object.entries(responses).map(([status, answer]) =>
    isReference(answer)
      ? refused(status, components.responses[nameOf(answer.$ref)]?.description ?? '', common, link)
      : markup`<li>${status} <span class="type">${answer.description}</span>${contentOf(answer.content ?? {})}</li>`,
  )}</ul>
<p class="soft">And the <a href="#common-errors">errors of every operation</a>.</p>
</div>
</details>`;
}

export const parameterField = ({
  name,
  in: where,
  required,
  description,
  schema,
}: Parameter): Markup =>
  field(
    name,
    description === undefined ? schema : { ...schema, description },
    required === true,
    where,
  );

/** Renders content by media type, which is named if it is not plain JSON. */
const contentOf = (content: Content): Markup[] =>
  Object.entries(content).map(
    ([type, { schema }]) =>
      markup`${type === 'application/json' ? undefined : markup`<p><code>${type}</code></p>`}${schemaFields(schema)}`,
  );

/** Renders the codes of one status beyond the common ones. */
function refused(
  status: string,
  codes: string,
  common: ReadonlySet<string>,
  link: ErrorLink,
): Markup | undefined {
  const own = codes.split(', ').filter((code) => !common.has(code));
  if (own.length === 0) return undefined;
  return markup`<li class="codes">${status} ${own.map(link)}</li>`;
}

export type ErrorLink = (code: string, n: number) => Markup;

/** Links codes, in either style, to their pages, with the title of each. */
export function errorLinks(refusals: readonly ExplainedRefusal[]): ErrorLink {
  const titles = new Map(
    refusals.flatMap((one) => [
      [one.code, one.title],
      [codeIn(one, 'bare'), one.title],
    ]),
  );
  return (code, n) =>
    markup`${n > 0 ? ' · ' : undefined}<a href="/docs/errors/${code}">${titles.get(code) ?? code}</a>`;
}

const sharedLine = (names: readonly string[]): Markup | undefined =>
  names.length === 0
    ? undefined
    : markup`<p class="soft">${names.map(
        (name, n) =>
          markup`${n > 0 ? ', ' : undefined}<a href="#parameter-${name}"><code>${name}</code></a>`,
      )}</p>`;

const heading = (text: string, count: number): Markup | undefined =>
  count > 0 ? markup`<h3>${text}</h3>` : undefined;

const isReference = (one: object): one is Reference => '$ref' in one;
