import { expect } from 'chai';
import { errorsPage } from '#src/http/errors-page.ts';
import { openapiOf } from '#src/http/openapi.ts';
import { sampleRoutes } from './sample.ts';

type Document = {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: Record<string, Record<string, unknown>>;
};

type Reference = { $ref?: string };

describe('API description', () => {
  const document = openapiOf(sampleRoutes) as Document;

  const found = (pointer: string): unknown =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
  const parametersOf = (method: string) =>
    Object.values(document.paths).flatMap(
      (path) =>
        (path[method]?.['parameters'] ?? []) as (Reference & { name?: string; schema: object })[],
    );

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
      expect(found(`#/${ref}`), ref).to.be.an('object');
    }
  });

  it('shows decimals as string or number, and none of our own words', () => {
    const text = JSON.stringify(document);
    expect(text).to.include('"type":["string","number"],"format":"decimal"');
    expect(text).not.to.match(
      /"(published|must|refusal|neverNull|emptyIsAbsent|reads|isRequired)":/,
    );
  });

  it('describes a date that may lack its time by the two formats that the standard knows', () => {
    const dates = parametersOf('get').filter(({ name }) => name === 'date');
    expect(dates.map(({ schema }) => schema)).to.deep.equal([
      {
        anyOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ],
        description: 'YYYY-MM-DD hh:mm:ss is accepted as well, in UTC.',
      },
    ]);
  });

  it('states that the two dates of a list go together', () => {
    const { dates } = document.components['parameters'] as Record<string, { schema: object }>;
    expect(dates?.schema).to.deep.include({
      dependentRequired: { start_date: ['end_date'], end_date: ['start_date'] },
    });
    const shared = parametersOf('get').map(({ $ref }) => $ref);
    expect(shared).to.include('#/components/parameters/dates');
    expect(shared).not.to.include('#/components/parameters/start_date');
  });

  it('gives errors on HEAD no body, as they are sent', () => {
    const head = Object.values(document.paths).flatMap(({ head: one }) => (one ? [one] : []));
    expect(head).not.to.be.empty;
    for (const { responses } of head) {
      for (const [status, { $ref }] of Object.entries(responses as Record<string, Reference>)) {
        const reply = $ref === undefined ? (responses as object)[status as never] : found($ref);
        expect(reply, status).not.to.have.property('content');
      }
    }
  });

  it('tells clients the highest limit of this deployment', () => {
    const limitOf = (described: object): unknown =>
      (described as Document).components['parameters']!['limit'];
    expect(limitOf(openapiOf(sampleRoutes))).to.have.nested.property('schema.maximum', 100);
    const small = limitOf(openapiOf(sampleRoutes, { limitMax: 5 }));
    expect(small).to.have.nested.property('schema.maximum', 5);
    expect(small).to.have.nested.property('schema.default', 5);
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
      '422',
      '429',
      '500',
      '503',
    ]);
    const at409 = document.components['responses']![responses['409']!.$ref.split('/').at(-1)!];
    expect(at409).to.have.property('description', 'LDG-0020, LDG-0132');
  });

  it('lists bare codes where an operator wants them so', () => {
    const text = JSON.stringify(openapiOf(sampleRoutes, { style: 'bare' }));
    expect(text).to.include('"description":"0020, 0132"').and.to.include('"examples":["0018"]');
    expect(text).not.to.include('LDG-');
    expect(JSON.stringify(document)).to.include('LDG-0018');
  });

  it('lists every code on the errors page', () => {
    const page = errorsPage(sampleRoutes);
    expect(page).to.include(
      '| `LDG-0018` | 422 | Insufficient funds | `INSUFFICIENT_FUNDS` | createTransfer |',
    );
  });
});
