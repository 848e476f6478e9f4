import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import type { Request } from '#src/http/request.ts';
import type { Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';

describe('a route of the ledger', () => {
  const below = routes.filter(({ body, path }) => body && path.includes('{organization_id}/'));

  /** The journals that are asked about themselves before the body is read. */
  async function journalsAsked({ admit }: Route): Promise<string[]> {
    const asked: string[] = [];
    const fact = async (_: unknown, journal: string) => {
      asked.push(journal);
      return { live: true, organizationId: 'o' };
    };
    const request = { path: { organization_id: 'o', ledger_id: 'l' } };
    await admit?.(request as unknown as Request, { commands: { fact } } as unknown as Services);
    return asked;
  }

  it('finds the parents in its path before it reads a large body', async () => {
    expect(below).to.have.length.above(50);
    for (const route of below) {
      const isInLedger = /\{ledger_id\}\/(?!settings$)/.test(route.path);
      const parents = ['organization-o', ...(isInLedger ? ['ledger-l'] : [])];
      expect(await journalsAsked(route), route.operationId).to.deep.equal(parents);
    }
  });

  it('declares that they may not be found', () => {
    for (const { operationId, path, refusals } of routes) {
      if (path.includes('{organization_id}/'))
        expect(refusals, operationId).to.include('ORGANIZATION_NOT_FOUND');
      if (/\{ledger_id\}\/(?!settings$)/.test(path))
        expect(refusals, operationId).to.include('LEDGER_NOT_FOUND');
    }
  });
});
