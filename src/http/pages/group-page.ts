import type { Reply } from '#src/http/reply.ts';
import { markup, type Markup } from './markup.ts';
import { navigation } from './navigation.ts';
import { operationSection } from './operation.ts';
import { pageReply } from './page.ts';
import { prose } from './prose.ts';
import { versionsOf, versionTitle, type ApiReference, type OperationGroup } from './reference.ts';

/** Renders the operations of a group, those of each version together. */
export function groupPage(group: OperationGroup, reference: ApiReference): Reply {
  const main = markup`
<p class="soft"><a href="/docs">Reference</a></p>
<h1>${group.name}</h1>
${prose(group.description ?? '')}
${versionsOf(group).map((version) => operationsOf(version, group, reference))}
`;
  return pageReply({ title: group.name, nav: navigation(reference, group), main });
}

const operationsOf = (
  version: string,
  group: OperationGroup,
  reference: ApiReference,
): Markup => markup`
<section data-version="${version}"><h2${version === '' ? undefined : markup` id="${version}"`}>${versionTitle(version)}</h2>
${group.operations
  .filter((one) => one.version === version)
  .map((one) => operationSection(one, reference))}
</section>`;
