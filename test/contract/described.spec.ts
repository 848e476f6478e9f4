import { expect } from 'chai';
import { openapiOf } from '#src/http/openapi.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { flawOf, type Exchanged } from '#test/support/described.ts';

/** The check that every answer in the e2e suites goes through. */
describe('description of the API', () => {
  const id = '0197f3a0-1111-7aaa-8bbb-000000000000';
  const path = `/v1/organizations/${id}/ledgers/${id}/assets`;
  const asset = {
    id,
    organizationId: id,
    ledgerId: id,
    name: 'Real',
    type: 'currency',
    code: 'BRL',
    status: { code: 'ACTIVE', description: null },
    createdAt: '2026-01-05T10:00:00.000Z',
    updatedAt: '2026-01-05T10:00:00.000Z',
    deletedAt: null,
  };
  const problem = {
    type: 'about:blank',
    title: 'Asset name or code taken',
    status: 409,
    detail: 'There is one.',
    instance: `urn:uuid:${id}`,
    code: 'LDG-0003',
    message: 'There is one.',
    legacyCode: '0003',
  };

  const said = (body: unknown, more: Partial<Exchanged> = {}): string | undefined =>
    flawOf({
      method: 'POST',
      path,
      status: 201,
      headers: { 'content-type': 'application/json' },
      text: typeof body === 'string' ? body : JSON.stringify(body),
      ...more,
    });
  const refused = (body: object, status = 409) =>
    said(body, { status, headers: { 'content-type': 'application/problem+json' } });

  it('allows what is as it says', () => {
    expect(said(asset)).to.equal(undefined);
    expect(said({ ...asset, metadata: { a: 1, b: 'c', d: true } })).to.equal(undefined);
    expect(refused(problem)).to.equal(undefined);
    expect(said('', { method: 'DELETE', path: `${path}/${id}`, status: 204 })).to.equal(undefined);
    expect(said('', { method: 'HEAD', path, status: 200 })).to.equal(undefined);
  });

  it('allows nothing else', () => {
    const { name, ...nameless } = asset;
    expect(said(nameless), name).to.contain('required property');
    expect(said({ ...asset, colour: 'red' })).to.contain('additional properties');
    expect(said({ ...asset, status: { ...asset.status, x: 1 } })).to.contain('/status');
    expect(said({ ...asset, metadata: { a: [] } })).to.contain('/metadata/a');
    expect(said({ ...asset, id: 'x' })).to.contain('/id');
    expect(said({ ...asset, createdAt: '2026-01-05' })).to.contain('/createdAt');
    expect(said('{')).to.contain('not JSON');
    expect(said('')).to.contain('needs a body');
    expect(said(asset, { status: 200 })).to.contain('status 200 is not documented');
    expect(said(asset, { status: 418 })).to.contain('status 418 is not documented');
    expect(said(asset, { headers: { 'content-type': 'text/html' } })).to.contain('media type');
    expect(said('x', { method: 'DELETE', path: `${path}/${id}`, status: 204 })).to.contain('media');
    expect(refused({ ...problem, code: 'LDG-0018' })).to.contain('/code');
    expect(refused({ ...problem, hint: 'x' })).to.contain('additional properties');
    expect(refused({ ...problem, errors: [{ location: 'a', message: 'b', x: 1 }] })).to.contain(
      '/errors/0',
    );
    expect(said(problem, { status: 409 })).to.contain('media type');
  });

  it('holds every problem to its form, also where there is no operation', () => {
    const at = { path: '/nowhere', status: 404 };
    const headers = { 'content-type': 'application/problem+json' };
    expect(said({ ...problem, status: 404 }, { ...at, headers })).to.equal(undefined);
    expect(said({ title: 'x' }, { ...at, headers })).to.contain('required property');
    expect(said('<html>', at)).to.equal(undefined);
  });

  it('describes every operation beyond its summary', () => {
    const { paths } = openapiOf(routes) as Record<'paths', Record<string, object>>;
    const operations = Object.values(paths).flatMap(
      (methods) => Object.values(methods) as { operationId: string; description?: string }[],
    );
    expect(operations).to.have.length(routes.length);
    const silent = operations.filter(({ description = '' }) => !/^[^]{20,}\.$/.test(description));
    expect(silent.map(({ operationId }) => operationId)).to.deep.equal([]);
  });

  it('says of declared records which members an update cannot change', () => {
    const updateOf = (name: string) =>
      routes.find(({ operationId }) => operationId === `update${name}`)?.description;
    expect(updateOf('Asset')).to.contain('`type` and `code` cannot be changed.');
    expect(updateOf('BillingPackage')).to.match(/Only `\w+`, `\w+` and `\w+` can be changed\./);
    expect(updateOf('Segment')).not.to.contain('changed');
  });

  it('says of every object in an answer which members it may have', () => {
    const { paths, components } = openapiOf(routes) as Record<'paths' | 'components', object>;
    const { schemas } = components as { schemas: Record<string, object> };
    const open = [...openObjects(paths, 'paths'), ...openObjects(schemas, 'schemas')].filter(
      (place) => place !== 'schemas.Problem', // RFC 9457 lets others add to it.
    );
    expect(open).to.deep.equal([]);
  });
});

/** Places of objects with named members that leave open whether there are others. */
function* openObjects(part: unknown, place: string): Generator<string> {
  if (typeof part !== 'object' || part === null) return;
  const { properties, additionalProperties, type } = part as Record<string, unknown>;
  const named = type === 'object' && typeof properties === 'object';
  if (named && additionalProperties === undefined) yield place;
  for (const [name, member] of Object.entries(part)) yield* openObjects(member, `${place}.${name}`);
}
