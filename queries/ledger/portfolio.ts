import { portfolioProjection } from '#projections/ledger/portfolio.ts';
import { pageReply } from '#queries/paging.ts';
import { equal, notFound } from '#queries/reading.ts';
import { portfolioText } from './renderers.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import { portfolioSchema } from '#src/resources/ledger/portfolio.ts';
import { rowInLedger, rowsInLedger } from './in-ledger.ts';

export const portfolioReadRoutes = [
  route({
    operationId: 'listPortfolios',
    summary: 'List the portfolios of a ledger',
    tag: 'Portfolios',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/portfolios',
    permission: 'portfolios:get',
    entityType: 'Portfolio',
    paging: 'page',
    filters: {
      entity_id: { type: 'string' },
      status: { type: 'string', description: 'The code, whatever it is' },
    },
    replies: { 200: pageOf(portfolioSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { entity_id: entityId, status } = request.query;
      const filters = [...equal('entityId', entityId), ...equal('status', status)];
      const sequence = await rowsInLedger(request, services, portfolioProjection, filters);
      return pageReply(sequence, request.page);
    },
  }),

  route({
    operationId: 'getPortfolio',
    summary: 'Retrieve a portfolio',
    tag: 'Portfolios',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/portfolios/{portfolio_id}',
    permission: 'portfolios:get',
    entityType: 'Portfolio',
    replies: { 200: portfolioSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const where = { id: request.path.portfolio_id };
      const row = await rowInLedger(request, services, portfolioProjection, where);
      if (row === undefined) throw notFound('portfolio');
      return ok(portfolioText(row));
    },
  }),
];
