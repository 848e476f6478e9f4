import type { Reply } from '#src/http/reply.ts';
import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import { nameOf, type Description } from './description.ts';
import { markup, type Markup } from './markup.ts';
import { errorLinks, operationSection, parameterField, type Placed } from './operation.ts';
import { pageReply } from './page.ts';
import { schemaFields } from './schema.ts';

/** Renders the whole API on one page, by the groups of its description. */
export function apiPage(description: Description, refusals: readonly ExplainedRefusal[]): Reply {
  const link = errorLinks(refusals);
  const { info, tags, components } = description;
  const operations = operationsOf(description);
  const common = commonCodes(description, operations);
  const groups = tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const main = markup`
<h1>${info.title}</h1>
<p class="soft">Version ${info.version}</p>
<p>${info.description} Amounts are decimal texts. Lists follow <code>page</code> or <code>cursor</code>; writes that move
money can be repeated under an idempotency key.</p>
${groups.map(
  (group) => markup`
<h2 id="${anchor(group.name)}">${group.name}</h2>
${group.operations.map((one) => operationSection(one, description, common, link))}`,
)}
<h2 id="common-errors">Errors of every operation</h2>
<p class="codes">${[...common].sort().map(link)}</p>
<h2 id="parameters">Shared parameters</h2>
<ul class="fields">${Object.entries(components.parameters).map(
    ([name, parameter]) =>
      markup`<li id="parameter-${name}"><ul class="fields">${parameterField(parameter)}</ul></li>`,
  )}</ul>
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => markup`
<details><summary>${name}</summary><div id="schema-${name}">${schemaFields(schema)}</div></details>`,
)}
`;
  return pageReply({ title: info.title, nav: navigation(groups), main });
}

type OperationGroup = Readonly<{ name: string; operations: readonly Placed[] }>;

const navigation = (groups: readonly OperationGroup[]): Markup => markup`
<nav aria-label="Operations"><ul>${groups.map(
  ({ name, operations }) => markup`
<li><a href="#${anchor(name)}">${name}</a><ul>${operations.map(
    ({ operation }) =>
      markup`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
  )}</ul></li>`,
)}
<li><a href="#common-errors">Common errors</a></li><li><a href="#parameters">Shared parameters</a></li>
<li><a href="#schemas">Schemas</a></li></ul></nav>`;

const operationsOf = ({ paths }: Description): Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

/** Returns the codes that every operation has, which are not repeated for each. */
function commonCodes({ components }: Description, operations: readonly Placed[]): Set<string> {
  const sets = operations.map(
    ({ operation }) =>
      new Set(
        Object.values(operation.responses).flatMap((answer) =>
          '$ref' in answer
            ? (components.responses[nameOf(answer.$ref)]?.description.split(', ') ?? [])
            : [],
        ),
      ),
  );
  const [first = new Set<string>(), ...others] = sets;
  return others.reduce((common, codes) => common.intersection(codes), first);
}

const anchor = (name: string): string => `group-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;
