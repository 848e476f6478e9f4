import { codePanel } from './code-panel.ts';
import { isReference, type Content, type DescribedResponse, type Schemas } from './description.ts';
import { exampleOf } from './example.ts';
import { markup, type Markup } from './markup.ts';
import { codesOf, type ApiReference, type PlacedOperation } from './reference.ts';
import { JSON_TYPE } from './sample-request.ts';
import { schemaFields } from './schema.ts';

/** Renders the members of each success. */
export const successesOf = ({ operation }: PlacedOperation, schemas: Schemas): Markup =>
  markup`${successes(operation).map(([status, response]) => success(status, response, schemas))}`;

/** Renders an example of each success. */
export const responseExamples = ({ operation }: PlacedOperation, schemas: Schemas): Markup =>
  markup`${successes(operation).map(([status, response]) => exampleOfResponse(status, response, schemas))}`;

const successes = ({ responses }: PlacedOperation['operation']): [string, DescribedResponse][] =>
  Object.entries(responses).filter(
    (entry): entry is [string, DescribedResponse] => !isReference(entry[1]),
  );

/** Renders content by media type, which is named if it is not plain JSON. */
export const contentOf = (content: Content, schemas: Schemas): Markup[] =>
  Object.entries(content).map(
    ([type, { schema }]) =>
      markup`${type === JSON_TYPE ? undefined : markup`<p><code>${type}</code></p>`}${schemaFields(schema, schemas)}`,
  );

function success(status: string, response: DescribedResponse, schemas: Schemas): Markup {
  const line = markup`<span class="status">${status}</span> ${response.description}`;
  return response.content === undefined
    ? markup`<p class="response">${line}</p>`
    : markup`<details class="inner response"><summary>${line}</summary>${contentOf(response.content, schemas)}</details>`;
}

/** Lists the codes beyond those that every operation may return, by status. */
export function errorsOf({ operation }: PlacedOperation, reference: ApiReference): Markup {
  const byStatus = Object.entries(operation.responses)
    .filter((entry): entry is [string, { $ref: string }] => isReference(entry[1]))
    .map(([status, response]) => ({
      status,
      codes: codesOf(response, reference.description).filter(
        (code) => !reference.commonCodes.has(code),
      ),
    }))
    .filter(({ codes }) => codes.length > 0);
  return markup`<details class="inner errors"><summary>Errors</summary><ul class="fields">${byStatus.map(
    ({ status, codes }) =>
      markup`<li><span class="status">${status}</span> ${codes.map((code) => markup`${reference.errorLink(code)} `)}</li>`,
  )}<li>And the <a href="/docs#common-errors">errors of every operation</a>.</li></ul></details>`;
}

function exampleOfResponse(
  status: string,
  { content = {} }: DescribedResponse,
  schemas: Schemas,
): Markup | undefined {
  const [first] = Object.entries(content);
  if (first === undefined) return undefined;
  const [type, media] = first;
  const example = exampleOf(media, schemas, 'all');
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return codePanel([[`${status} ${type === JSON_TYPE ? 'Response' : type}`, text]]);
}
