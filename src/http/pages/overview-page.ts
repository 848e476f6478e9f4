import type { Reply } from '#src/http/reply.ts';
import { markup, type Markup } from './markup.ts';
import { navigation } from './navigation.ts';
import { samplesOf, versionBadge } from './operation.ts';
import { pageReply } from './page.ts';
import { guidesOf, inline, type Guide } from './prose.ts';
import {
  twinOf,
  type ApiReference,
  type OperationGroup,
  type PlacedOperation,
} from './reference.ts';

/** Renders the guides, and a list of every operation by group. */
export function overviewPage(reference: ApiReference): Reply {
  const { info } = reference.description;
  const { intro, guides } = guidesOf(info.description);
  const first = reference.groups[0]?.operations[0];
  const main = markup`
<div class="hero"><div><h1>${info.title}</h1>${intro}
<p class="soft">Version ${info.version} · ${reference.operations.size} operations ·
<a href="/openapi.json">OpenAPI 3.1</a></p>
<ul class="guide-links">${guides.map(({ title, id }) => markup`<li><a href="#${id}">${title}</a></li>`)}
<li><a href="#operations">Operations</a></li></ul></div>
${first && samplesOf(first, reference.description.components.schemas)}</div>
${guides.map(guideSection)}
<h2 id="common-errors">Errors of every operation</h2>
<p class="codes">${[...reference.commonCodes].sort().map((code) => markup`${reference.errorLink(code)} `)}</p>
<h2 id="operations">Operations</h2>
<div class="groups">${reference.groups.map((group) => groupCard(group, reference))}</div>
`;
  return pageReply({ title: info.title, nav: navigation(reference), main });
}

const guideSection = ({ title, id, content }: Guide): Markup =>
  markup`<section class="guide"><h2 id="${id}">${title}</h2>${content}</section>`;

const groupCard = (group: OperationGroup, reference: ApiReference): Markup => markup`
<section class="group"><h3><a href="/docs/${group.slug}">${group.name}</a></h3>
<p class="soft">${inline(group.description ?? '')}</p>
<ul>${group.operations.map((one) => entry(one, reference))}</ul></section>`;

/** Renders one line for an operation of both versions, with a link to each. */
function entry(placed: PlacedOperation, reference: ApiReference): Markup | undefined {
  const twin = twinOf(placed, reference);
  const { operationId } = placed.operation;
  if (twin !== undefined && operationId.endsWith('V2')) return undefined;
  const { method, operation } = placed;
  return markup`
<li><span class="method ${method}">${method.toUpperCase()}</span> <a class="what" href="${placed.href}">${operation.summary}</a>${[
    placed,
    ...(twin ? [twin] : []),
  ].map(
    ({ version, href, operation: { operationId: id } }) =>
      markup` <a id="${id}" data-version="${version}" href="${href}" title="${id}">${versionBadge(version) ?? 'open'}</a>`,
  )}</li>`;
}
