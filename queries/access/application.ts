import { refuse } from '#src/events/access/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Credentials } from '#src/ports/credentials.ts';
import type { DirectoryApplication } from '#src/ports/directory.ts';
import { applicationSchema, applicationView } from '#src/resources/access/application.ts';
import { directoryPage, totaledPageOf } from './listing.ts';
import { directoryFor } from './services.ts';

const PATH = '/v1/applications';

const facts = {
  tag: 'Applications',
  method: 'get',
  entityType: 'Application',
  permission: { namespace: 'plugin-identity', resource: 'applications', action: 'get' },
} as const;

export const applicationReadRoutes = [
  route({
    ...facts,
    operationId: 'listApplications',
    summary: 'List applications',
    description:
      'Returns the applications of your tenant in the order of their creation, with `total`.',
    path: PATH,
    paging: 'page',
    noMetadata: true,
    replies: { 200: totaledPageOf(applicationSchema) },
    refusals: [],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      return directoryPage(directory.applications(), request.page, (one) => textOf(one, services));
    },
  }),

  route({
    ...facts,
    operationId: 'getApplication',
    summary: 'Retrieve an application',
    description: 'A deleted application is refused with 404.',
    path: `${PATH}/{application_id}`,
    replies: { 200: applicationSchema },
    refusals: ['APPLICATION_NOT_FOUND'],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      const { application_id: id } = request.path;
      const application = directory.applications().find((one) => one.id === id);
      if (application !== undefined) return ok(await textOf(application, services));
      throw refuse('APPLICATION_NOT_FOUND', 'There is no such application.');
    },
  }),
];

async function textOf(
  application: DirectoryApplication,
  { components }: Pick<Services, 'components'>,
): Promise<string> {
  const { credentials } = components['access'] as Readonly<{ credentials: Credentials }>;
  const secret = await credentials.exposedSecret(application.clientId);
  return JSON.stringify(applicationView({ ...application, name: application.product }, secret));
}
