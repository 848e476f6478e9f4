import { expect } from 'chai';
import type { DescribedOperation, Description, Parameter } from '#src/http/pages/description.ts';
import { exampleOf } from '#src/http/pages/example.ts';
import { apiReference, type PlacedOperation } from '#src/http/pages/reference.ts';
import { clientSample } from '#src/http/pages/client-sample.ts';
import { curlSample } from '#src/http/pages/curl-sample.ts';

const schemas = {
  Money: { type: 'string', pattern: '^[0-9]+$' },
  Node: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      note: { type: ['string', 'null'], maxLength: 3 },
      parent: { $ref: '#/components/schemas/Node' },
    },
  },
};
const ID = '0190a1c0-0000-7000-8000-000000000001';

const placed = (
  method: string,
  path: string,
  operation: Partial<DescribedOperation>,
): PlacedOperation => {
  const described = {
    operationId: 'one',
    summary: 'One',
    tags: ['All'],
    parameters: [],
    responses: {},
  };
  const description: Description = {
    info: { title: '', version: '', description: '' },
    tags: [{ name: 'All' }],
    paths: {
      [path]: { [method]: { ...described, 'x-permission': 'core:all:post', ...operation } },
    },
    components: { parameters: {}, schemas, responses: {} },
  };
  return apiReference(description, []).operations.get('one')!;
};

const parameter = (where: string, name: string, required: boolean): Parameter => ({
  ...{ in: where, name, required },
  schema: { type: 'string', minLength: 5 },
});

const written = placed('post', '/v2/things/{thing_id}', {
  parameters: [
    parameter('path', 'thing_id', true),
    parameter('query', 'kind', true),
    parameter('query', 'color', false),
    parameter('header', 'X-Idempotency', false),
  ],
  requestBody: {
    content: { 'application/json': { schema: {}, example: { name: "Ada's", 'a-b': [1, null] } } },
  },
});

describe('samples of an operation', () => {
  it('are a command that a shell takes as it is', () => {
    expect(curlSample(written, schemas)).to.equal(
      String.raw`curl -X POST "http://127.0.0.1:3000/v2/things/$thing_id?kind=%40text" \
  -H "Authorization: Bearer $TOKEN" \
  -H "X-Idempotency: $KEY" \
  -H "Content-Type: application/json" \
  -d '{
  "name": "Ada'\''s",
  "a-b": [
    1,
    null
  ]
}'`,
    );
  });

  it('are a call of the client, which adds the key itself', () => {
    expect(callIn(written)).to.equal(
      String.raw`await client.post('/v2/things/{thing_id}', {
  path: { thing_id: '@text' },
  query: { kind: '@text' },
  body: { name: 'Ada\'s', 'a-b': [1, null] },
});`,
    );
  });

  it('use what the client has for counts, lists and lines', () => {
    const list = { type: 'object', properties: { items: { type: 'array' } } };
    const reading = (type: string, schema: object) =>
      placed('get', '/v1/things', { responses: { 200: { description: '', content: { [type]: { schema } } } } }); // prettier-ignore
    expect(callIn(placed('head', '/v1/things', {}))).to.equal(
      "const count = await client.count('/v1/things');",
    );
    expect(callIn(reading('application/json', list))).to.contain(
      "for await (const item of client.items('/v1/things')) {",
    );
    expect(callIn(reading('application/json', { type: 'object' }))).to.equal(
      "const data = await client.get('/v1/things');",
    );
    expect(callIn(reading('application/x-ndjson', {}))).to.contain(
      "for await (const line of client.lines('/v1/things')) {",
    );
    expect(callIn(reading('text/event-stream', {}))).to.equal(
      "const { response } = await client.request('get', '/v1/things');",
    );
  });

  it('have only what an operation takes', () => {
    const open = placed('get', '/status', { 'x-permission': 'none' });
    expect(curlSample(open, schemas)).to.equal('curl "http://127.0.0.1:3000/status"');
    expect(clientSample(open, schemas)).to.contain(
      "createClient({ url: 'http://127.0.0.1:3000' });",
    );
    const script = placed('post', '/scripts', {
      requestBody: { content: { 'multipart/form-data': { schema: {} }, 'text/plain': { schema: {}, example: 'a\nb' } } },
    }); // prettier-ignore
    expect(curlSample(script, schemas)).to.match(/text\/plain" \\\n {2}--data-binary 'a\nb'$/);
    expect(clientSample(script, schemas)).to.equal(undefined);
  });
});

const callIn = (operation: PlacedOperation): string =>
  clientSample(operation, schemas)?.split('\n\n')[2] ?? '';

describe('an example of a body', () => {
  const node = { schema: { $ref: '#/components/schemas/Node' } };

  it('is the one of the description, if it has one', () => {
    expect(exampleOf({ ...node, example: { id: 'a' } }, schemas, 'all')).to.deep.equal({ id: 'a' });
    const examples = { first: { value: 1 }, second: { value: 2 } };
    expect(exampleOf({ ...node, examples }, schemas, 'all')).to.equal(1);
  });

  it('is else made from the schema: all members, or those that are required', () => {
    expect(exampleOf(node, schemas, 'required')).to.deep.equal({ id: ID });
    const all = exampleOf(node, schemas, 'all') as Record<string, unknown>;
    expect(all).to.deep.include({ id: ID, note: 'BRL' });
  });

  it('ends where a schema contains itself', () => {
    const depth = (value: unknown): number =>
      value === undefined ? 0 : 1 + depth((value as { parent?: unknown }).parent);
    expect(depth(exampleOf(node, schemas, 'all'))).to.equal(4);
  });

  it('fits patterns and lengths', () => {
    const text = (schema: object) =>
      exampleOf({ schema: { type: 'string', ...schema } }, {}, 'all');
    expect(text({ pattern: '^[A-Z]{2}$' })).to.equal('BR');
    expect(text({ pattern: '^[0-9]+$' })).to.equal('100');
    expect(text({ minLength: 20, maxLength: 20 })).to.equal('a'.repeat(20));
    expect(text({ enum: ['b', 'c'] })).to.equal('b');
  });
});
