import { expect } from 'chai';
import { errorsPage } from '#src/http/errors-page.ts';
import { openapiOf } from '#src/http/openapi.ts';
import { sampleRoutes } from './sample.ts';

type Document = {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: Record<string, Record<string, unknown>>;
};

describe('API description', () => {
  const document = openapiOf(sampleRoutes) as Document;

  it('holds every route of the table', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(operations.map(({ operationId }) => operationId).sort()).to.deep.equal(
      sampleRoutes.map(({ operationId }) => operationId).sort(),
    );
  });

  it('refers only to what it contains', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, ref]) => ref!,
    );
    expect(refs.length).to.be.above(10);
    for (const ref of refs) {
      const found = ref
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
      expect(found, ref).to.be.an('object');
    }
  });

  it('shows decimals as string or number, and none of our own words', () => {
    const text = JSON.stringify(document);
    expect(text).to.include('"type":["string","number"],"format":"decimal"');
    expect(text).not.to.match(/"(refusal|neverNull|emptyIsAbsent|reads|isRequired)":/);
  });

  it('gives a date that may lack its time no format, which would forbid it', () => {
    const dates = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ parameters }) => parameters as { name?: string; schema: object }[])
      .filter(({ name }) => name === 'date')
      .map(({ schema }) => schema);
    const type = 'string';
    expect(dates).to.deep.equal([{ type, examples: ['2025-06-01', '2025-06-01 12:30:00'] }]);
  });

  it('lists the codes of an operation by status, declared and common', () => {
    const responses = document.paths[
      '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts'
    ]!['post']!['responses'] as Record<string, { $ref: string }>;
    expect(Object.keys(responses)).to.deep.equal([
      '201',
      '400',
      '401',
      '403',
      '404',
      '405',
      '409',
      '413',
      '421',
      '429',
      '500',
      '503',
    ]);
    const at409 = document.components['responses']![responses['409']!.$ref.split('/').at(-1)!];
    expect(at409).to.have.property('description', 'LDG-0020, LDG-0132');
  });

  it('lists every code on the errors page', () => {
    const page = errorsPage(sampleRoutes);
    expect(page).to.include(
      '| `LDG-0018` | 422 | Insufficient funds | `INSUFFICIENT_FUNDS` | createTransfer |',
    );
  });
});
