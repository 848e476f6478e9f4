import {
  isReference,
  nameOf,
  type Content,
  type Description,
  type Parameter,
  type Schemas,
} from './description.ts';
import { exampleOf } from './example.ts';
import { markup, type Markup } from './markup.ts';
import type { PlacedOperation } from './reference.ts';
import { IDEMPOTENCY_KEY, takesToken } from './request-headers.ts';

/** Renders a form that the script of the page sends to this server. Without the script it is hidden. */
export function tryIt(placed: PlacedOperation, description: Description): Markup {
  const { method, path, parameters, operation } = placed;
  const folded = parameters.filter(isSeldomSent);
  return markup`
<details class="try"><summary>Try it</summary>
<form data-method="${method.toUpperCase()}" data-path="${path}" data-creates="${createdParameter(placed, description)}">
<p class="soft">Sends a real request to this server.</p>
${takesToken(placed) ? TOKEN_FIELD : undefined}
${parameters.filter((one) => !isSeldomSent(one)).map(inputs)}
${operation.requestBody && bodyFields(operation.requestBody.content, description.components.schemas)}
${folded.length === 0 ? undefined : markup`<details><summary>More headers</summary>${folded.map(inputs)}</details>`}
<p><button>Send</button></p>
<output></output>
</form></details>`;
}

const TOKEN_FIELD = markup`<label><span>Access token</span>
<input name="token" type="password" autocomplete="off" placeholder="if access management is on"></label>`;

const isSeldomSent = ({ name, in: where, required }: Parameter): boolean =>
  where === 'header' && required !== true && name !== IDEMPOTENCY_KEY;

/** Renders an example of the body to change, and the choice of its media type. */
function bodyFields(content: Content, schemas: Schemas): Markup {
  const types = Object.keys(content).filter((type) => !type.startsWith('multipart/'));
  const [first = ''] = types;
  const example = content[first] && exampleOf(content[first], schemas, 'required');
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return markup`${
    types.length === 1
      ? markup`<input name="media" type="hidden" value="${first}">`
      : markup`<label><span>Media type</span><select name="media">${types.map((type) => markup`<option>${type}</option>`)}</select></label>`
  }<label><span>Body</span><textarea name="body" rows="${Math.min(text.split('\n').length + 1, ROWS_MAX)}" spellcheck="false">${text}</textarea></label>`;
}

const ROWS_MAX = 16;

/** Renders a field for a parameter, or one for each member of a parameter that is an object. */
function inputs(parameter: Parameter): Markup {
  const { properties, additionalProperties } = parameter.schema;
  if (properties !== undefined) {
    return markup`${Object.entries(properties).map(([name, schema]) => input({ ...parameter, name, schema }))}`;
  }
  return typeof additionalProperties === 'object'
    ? labelled(
        parameter,
        markup`<input name="${parameter.in}" placeholder="${parameter.name}.key=value">`,
      )
    : input(parameter);
}

function input(parameter: Parameter): Markup {
  const { name, in: where, required, schema } = parameter;
  const attributes = markup`name="${where}.${name}"${required ? markup` required` : undefined}`;
  return labelled(
    parameter,
    schema.enum === undefined
      ? markup`<input ${attributes} autocomplete="off" spellcheck="false">`
      : markup`<select ${attributes}><option></option>${schema.enum.map((value) => markup`<option>${String(value)}</option>`)}</select>`,
  );
}

const labelled = ({ name, required }: Parameter, control: Markup): Markup =>
  markup`<label><span>${name}${required ? undefined : markup` <i>optional</i>`}</span>${control}</label>`;

/** Returns the path parameter of other operations that takes the id in the response, as the links of the response say. */
function createdParameter({ operation }: PlacedOperation, { components }: Description): string {
  for (const response of Object.values(operation.responses)) {
    if (isReference(response)) continue;
    for (const link of Object.values(response.links ?? {})) {
      const { parameters = {} } = isReference(link)
        ? (components.links?.[nameOf(link.$ref)] ?? {})
        : link;
      const found = Object.entries(parameters).find(([, from]) => from === '$response.body#/id');
      if (found !== undefined) return found[0].replace(/^\w+\./, '');
    }
  }
  return '';
}
