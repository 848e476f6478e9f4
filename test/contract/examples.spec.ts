import { expect } from 'chai';
import { loadExamples } from '#src/bootstrap/examples.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { openapiOf } from '#src/http/openapi.ts';
import { exampleFlaw } from '#test/support/described.ts';

/* test/e2e/examples.spec.ts sends and receives what is shown here. */

type MediaTypes = Readonly<Record<string, Readonly<{ example?: unknown }>>>;
type Operation = Readonly<{
  operationId: string;
  requestBody?: Readonly<{ content: MediaTypes }>;
  responses: Readonly<Record<string, Readonly<{ content?: MediaTypes }>>>;
}>;

const { paths } = openapiOf(routes, { examples: await loadExamples() }) as {
  paths: Record<string, Record<string, Operation>>;
};

describe('examples in the description of the API', () => {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody, responses }] of Object.entries(methods)) {
      const at = ['paths', path, method];
      const bodies = [
        { at: [...at, 'requestBody'], content: requestBody?.content },
        ...Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .map(([status, { content }]) => ({ at: [...at, 'responses', status], content })),
      ];
      for (const { at, content = {} } of bodies) {
        for (const [media, { example }] of Object.entries(content)) {
          it(`fit their schema: ${operationId} ${at.slice(3).join(' ')} ${media}`, () => {
            expect(example, 'run npm run examples').not.to.equal(undefined);
            expect(exampleFlaw([...at, 'content', media, 'schema'], example)).to.equal(undefined);
          });
        }
      }
    }
  }
});
