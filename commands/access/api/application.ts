import { createApplication } from '#commands/access/processes/create-application.ts';
import { accessServices } from '#commands/access/processes/services.ts';
import { refuse } from '#src/events/access/refusals.ts';
import { created, noContent } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import {
  applicationSchema,
  applicationView,
  createApplicationBody,
} from '#src/resources/access/application.ts';
import { followed, stepsOf, submit } from './submit.ts';

const PATH = '/v1/applications';

const facts = (action: string) => ({
  tag: 'Applications',
  entityType: 'Application',
  permission: { namespace: 'plugin-identity', resource: 'applications', action },
});

/** Contract access §8. */
export const applicationWriteRoutes = [
  route({
    ...facts('post'),
    operationId: 'createApplication',
    summary: 'Create an application with a client id and a secret',
    description:
      'The response has the secret in clear text, and no other one has: only its hash is stored. There is one ' +
      'application of each name.',
    method: 'post',
    path: PATH,
    body: createApplicationBody,
    replies: { 201: applicationSchema },
    refusals: ['APPLICATION_NAME_UNKNOWN', 'IDENTITY_TAKEN'],
    async handle(request, services) {
      const { name, description } = request.body;
      mustBeProduct(services, name);
      const { credentials } = accessServices(services.components);
      const { application, clientSecret, revision } = await createApplication(
        stepsOf(request, services),
        credentials,
        { name, description, clientId: services.ids.next() },
      );
      const token = await followed(request, services, revision);
      return created(JSON.stringify(applicationView(application, clientSecret)), { token });
    },
  }),

  route({
    ...facts('delete'),
    operationId: 'deleteApplication',
    summary: 'Delete an application; its tokens are refused from then on',
    description: 'Its secret is destroyed and cannot be restored; its name may be used again.',
    method: 'delete',
    path: `${PATH}/{application_id}`,
    replies: { 204: null },
    refusals: ['APPLICATION_NOT_FOUND'],
    async handle(request, services) {
      const command = { type: 'DeleteApplication', id: request.path.application_id } as const;
      const { events, token } = await submit(request, services, command);
      const [event] = events;
      if (event?.type !== 'ApplicationDeleted') throw new Error('A deletion has its event');
      const { clientId } = event.data.application;
      await accessServices(services.components).credentials.destroySecret(clientId);
      return noContent({ token });
    },
  }),
];

/** Errors: APPLICATION_NAME_UNKNOWN. */
function mustBeProduct({ components }: Services, name: string): void {
  const { products } = accessServices(components);
  if (products.includes(name)) return;
  const message = `must be one of ${products.join(', ')}`;
  throw refuse('APPLICATION_NAME_UNKNOWN', `name ${message}.`, {
    findings: [{ location: 'name', message, value: name }],
  });
}
