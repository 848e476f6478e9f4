import { route } from '#commands/ledger/api/route.ts';
import { registryServices } from '#commands/registry/processes/services.ts';
import { journalOfRegistry, type ProvisionedKeys } from '#commands/registry/registry.ts';
import { organizationNotFound } from '#src/events/ledger/absent.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import { created } from '#src/http/reply.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { encryptionSchema, provisionBody } from '#src/resources/registry/protection.ts';

/** Setting up the protection of personal data (contract registry-and-fees §A10). */
export const encryptionWriteRoutes = [
  route({
    operationId: 'provisionEncryption',
    summary: 'Set up the encryption of personal data of an organization',
    description:
      'The first protected record of an organization sets it up too. Each attempt is in the protection audit, also that ' +
      'of an organization for which it is set up already.',
    tag: 'Protection',
    method: 'post',
    path: '/v1/organizations/{organization_id}/encryption/provision',
    only: 'path',
    permission: 'encryption:post',
    entityType: 'Encryption',
    body: provisionBody,
    replies: { 201: encryptionSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'AUDIT_DATA_MISSING', 'AUDIT_NOT_WRITTEN'] as const),
      ...(['KEY_SERVICE_UNAVAILABLE', 'PROVISIONING_FAILED'] as const),
    ],
    async handle(request, { commands, components }) {
      const { actor, reason } = mustBeAudited(request.body);
      const { organization_id: organizationId } = request.path;
      const { tenantId, requestId } = request.context;
      const organization = await commands.fact(request, organizationJournal(organizationId));
      if (organization?.live !== true) throw organizationNotFound();
      const journal = journalOfRegistry(organizationId);
      const attempt = { actor, reason, requestId };
      const provision = { type: 'ProvisionEncryption', organizationId, attempt } as const;
      const record = (keys: ProvisionedKeys | undefined) =>
        commands.submit(request, journal, { ...provision, keys }).catch(notAudited);

      const keys = await registryServices(components)
        .keys.provision({ tenantId, organizationId })
        .catch(async (error: unknown) => {
          await record(undefined);
          throw provisioningError(error);
        });
      const { revision } = await record(keys);
      return created(JSON.stringify({ organization_id: organizationId, ...keysOf(keys) }), {
        token: { [journal.name]: revision },
      });
    },
  }),
];

const keysOf = (keys: ProvisionedKeys): object => ({
  kek_path: keys.kekPath,
  aead_primary_key_id: keys.aeadPrimaryKeyId,
  prf_primary_key_id: keys.prfPrimaryKeyId,
  status: 'active',
});

/** An attempt that is not audited has failed, even if there are keys now: the next one finds them. */
function notAudited(error: unknown): never {
  const isUnavailable = error instanceof Refusal && error.refusal === 'UNAVAILABLE';
  if (!isUnavailable && !(error instanceof Unavailable)) throw error;
  throw refuse('AUDIT_NOT_WRITTEN', 'The attempt could not be recorded, so it has failed.');
}

const provisioningError = (error: unknown): unknown =>
  error instanceof Refusal && error.refusal === 'ENCRYPTION_FAILED'
    ? refuse('PROVISIONING_FAILED', 'The keys of the organization could not be prepared.')
    : error;

/** Errors: AUDIT_DATA_MISSING. */
function mustBeAudited({ actor, reason }: Readonly<{ actor?: string; reason?: string }>) {
  if (actor !== undefined && reason !== undefined) return { actor, reason };
  const missing = Object.entries({ actor, reason }).filter(([, value]) => value === undefined);
  throw refuse('AUDIT_DATA_MISSING', 'actor and reason are required.', {
    findings: missing.map(([location]) => ({ location, message: 'is required' })),
  });
}
