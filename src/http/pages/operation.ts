import { clientSample } from './client-sample.ts';
import { codePanel } from './code-panel.ts';
import { curlSample } from './curl-sample.ts';
import type { Parameter, Schemas } from './description.ts';
import { breakable, markup, type Markup } from './markup.ts';
import { prose } from './prose.ts';
import { twinOf, type ApiReference, type PlacedOperation } from './reference.ts';
import { takesToken } from './request-headers.ts';
import { contentOf, errorsOf, responseExamples, successesOf } from './responses.ts';
import { parameterField } from './schema.ts';
import { tryIt } from './try-it.ts';

/** Renders one operation: what it does and takes on one side, samples of it on the other. */
export function operationSection(placed: PlacedOperation, reference: ApiReference): Markup {
  const { method, path, operation, version } = placed;
  const { operationId, summary, description = '', requestBody } = operation;
  const { schemas } = reference.description.components;
  return markup`
<article class="operation" id="${operationId}" data-version="${version}">
<div class="says">
<h3><a href="#${operationId}">${summary}</a>${versionBadge(version)}${
    operation.deprecated ? markup` <span class="badge old">deprecated</span>` : undefined
  }</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></p>
${prose(description)}
<p class="soft facts"><code>${operationId}</code> ${permissionOf(placed)}${twinLink(placed, reference)}</p>
${parametersIn(placed, 'path', 'Path parameters', schemas)}
${parametersIn(placed, 'query', 'Query parameters', schemas)}
${requestBody && markup`<h4>Body</h4>${contentOf(requestBody.content, schemas)}`}
${parametersIn(placed, 'header', 'Headers', schemas)}
<h4>Responses</h4>
${successesOf(placed, schemas)}
${errorsOf(placed, reference)}
</div>
<div class="shows">
${samplesOf(placed, schemas)}
${tryIt(placed, reference.description)}
${responseExamples(placed, schemas)}
</div>
</article>`;
}

/** Renders the request as a command, and as a call of the client. */
export function samplesOf(placed: PlacedOperation, schemas: Schemas): Markup {
  const call = clientSample(placed, schemas);
  return codePanel([
    ['curl', curlSample(placed, schemas)],
    ...(call === undefined ? [] : [['TypeScript', call] as const]),
  ]);
}

export const versionBadge = (version: string): Markup | undefined =>
  version === '' ? undefined : markup` <span class="badge ${version}">${version}</span>`;

function parametersIn(
  { parameters }: PlacedOperation,
  where: string,
  title: string,
  schemas: Schemas,
): Markup | undefined {
  const found = parameters.filter((one: Parameter) => one.in === where);
  if (found.length === 0) return undefined;
  return markup`<h4>${title}</h4><ul class="fields">${found.map((one) => parameterField(one, schemas))}</ul>`;
}

const permissionOf = (placed: PlacedOperation): Markup | undefined =>
  takesToken(placed)
    ? markup`· needs <code>${placed.operation['x-permission']}</code> when access management is on`
    : undefined;

function twinLink(placed: PlacedOperation, reference: ApiReference): Markup | undefined {
  const twin = twinOf(placed, reference);
  return (
    twin &&
    markup` · <a href="${twin.href}">the same in version ${twin.version.replace('v', '')}</a>`
  );
}
