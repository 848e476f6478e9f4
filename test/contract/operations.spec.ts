import { expect } from 'chai';
import { routeRows } from '#src/http/route-rows.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { notYet, operations } from './operations.ts';

describe('operations of the contract', () => {
  const served = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const without = (all: readonly string[], some: readonly string[]) =>
    [...new Set(all).difference(new Set(some))].sort();

  it('are all served, but for those that are said to be missing', () => {
    expect(without(operations, [...served, ...notYet])).to.deep.equal([]);
  });

  it('are not said to be missing when they are there, or in no document', () => {
    expect(without(notYet, without(operations, served))).to.deep.equal([]);
  });

  it('are all that is served', () => {
    expect(without(served, operations)).to.deep.equal([]);
  });

  it('are named once', () => {
    expect(operations).to.have.lengthOf(new Set(operations).size);
    expect(served).to.have.lengthOf(new Set(served).size);
  });

  it('are shown as rows, each with the versions it stands in', () => {
    const rows = routeRows(routes);
    expect(rows.flatMap(({ versions }) => versions)).to.have.lengthOf(routes.length);
    expect(rows.find(({ operationId }) => operationId === 'createOrganization')).to.deep.equal({
      method: 'POST',
      path: '/v1/organizations',
      operationId: 'createOrganization',
      permission: 'core:organizations:post',
      versions: ['v1', 'v2'],
      summary: 'Create an organization',
    });
    const batch = rows.find(({ operationId }) => operationId === 'createTransactionBatch');
    expect(batch?.versions).to.deep.equal(['v1']);
  });
});
