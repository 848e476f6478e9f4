import type { Reply } from '#src/http/reply.ts';
import { markup } from './markup.ts';
import { navigation } from './navigation.ts';
import { pageReply } from './page.ts';
import type { ApiReference } from './reference.ts';
import { schemaFields } from './schema.ts';

/** Renders the schemas that operations share, in the order of their names. */
export function schemasPage(reference: ApiReference): Reply {
  const { schemas } = reference.description.components;
  const main = markup`
<p class="soft"><a href="/docs">Reference</a></p>
<h1>Schemas</h1>
<p>The bodies of requests and responses, and the parts that several of them share.</p>
${Object.entries(schemas)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(
    ([name, schema]) => markup`
<section class="schema" id="${name}"><h2><a href="#${name}">${name}</a></h2>${schemaFields(schema, schemas)}</section>`,
  )}
`;
  return pageReply({ title: 'Schemas', nav: navigation(reference), main });
}
