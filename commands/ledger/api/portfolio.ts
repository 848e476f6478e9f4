import { created, noContent, ok } from '#src/http/reply.ts';
import { route } from './route.ts';
import {
  createPortfolioBody,
  portfolioSchema,
  portfolioView,
  updatePortfolioBody,
} from '#src/resources/ledger/portfolio.ts';
import { absent, parentsAbsent, submitRecord, submitToLedger } from './in-ledger.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/portfolios';

export const portfolioWriteRoutes = [
  route({
    operationId: 'createPortfolio',
    summary: 'Create a portfolio in a ledger',
    tag: 'Portfolios',
    method: 'post',
    path: PATH,
    permission: 'portfolios:post',
    entityType: 'Portfolio',
    body: createPortfolioBody,
    replies: { 201: portfolioSchema },
    refusals: parentsAbsent,

    handle: async (request, services) => {
      const { name, entityId, status, metadata } = request.body;
      const { data, token } = await submitRecord(request, services, 'PortfolioCreated', {
        type: 'CreatePortfolio',
        fields: {
          name,
          ...(entityId !== undefined && { entityId }),
          status,
          ...(metadata && { metadata }),
        },
      });
      return created(JSON.stringify(portfolioView(data.portfolio)), { token });
    },
  }),

  route({
    operationId: 'updatePortfolio',
    summary: 'Change a portfolio',
    tag: 'Portfolios',
    method: 'patch',
    path: `${PATH}/{portfolio_id}`,
    permission: 'portfolios:patch',
    entityType: 'Portfolio',
    body: updatePortfolioBody,
    replies: { 200: portfolioSchema },
    refusals: [...absent, 'TOO_LARGE'],

    handle: async (request, services) => {
      const { data, token } = await submitRecord(request, services, 'PortfolioUpdated', {
        type: 'UpdatePortfolio',
        id: request.path.portfolio_id,
        changes: request.body,
      });
      return ok(JSON.stringify(portfolioView(data.portfolio)), { token });
    },
  }),

  route({
    operationId: 'deletePortfolio',
    summary: 'Delete a portfolio; accounts that name it keep its id',
    tag: 'Portfolios',
    method: 'delete',
    path: `${PATH}/{portfolio_id}`,
    permission: 'portfolios:delete',
    entityType: 'Portfolio',
    replies: { 204: null },
    refusals: absent,

    handle: async (request, services) => {
      const id = request.path.portfolio_id;
      const { token } = await submitToLedger(request, services, {
        type: 'DeletePortfolio',
        id,
      });
      return noContent({ token });
    },
  }),
];
