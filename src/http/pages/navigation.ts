import { markup, type Markup } from './markup.ts';
import { versionsOf, versionTitle, type ApiReference, type OperationGroup } from './reference.ts';

/** Lists the groups, with the operations of the one that is shown. */
export const navigation = ({ groups }: ApiReference, open?: OperationGroup): Markup => markup`
<nav aria-label="Reference"><details class="menu"><summary>Contents</summary><ul>
<li><a href="/docs"${open === undefined ? CURRENT : undefined}>Guides</a></li>
${groups.map(
  (group) => markup`
<li><a href="/docs/${group.slug}"${group === open ? CURRENT : undefined}>${group.name}</a>${
    group === open ? operationsOf(group) : undefined
  }</li>`,
)}
<li><a href="/docs/schemas">Schemas</a></li><li><a href="/docs/errors">Errors</a></li></ul></details></nav>`;

const CURRENT = markup` aria-current="page"`;

const operationsOf = (group: OperationGroup): Markup =>
  markup`${versionsOf(group).map(
    (version) => markup`<ul data-version="${version}">
<li class="soft">${versionTitle(version)}</li>${group.operations
      .filter((one) => one.version === version)
      .map(
        ({ method, operation }) => markup`
<li><a href="#${operation.operationId}">${operation.summary} <span class="method ${method}">${method.toUpperCase()}</span></a></li>`,
      )}</ul>`,
  )}`;
