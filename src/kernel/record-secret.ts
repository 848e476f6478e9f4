import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/** The secret of a record: its wrapped key, and what tells whether the record ever came to be. */
export type RecordSecret = Readonly<{ tenantId: string; since: Instant; wrapped: string }>;

export const recordSecretName = (organizationId: Uuid, recordId: Uuid): string =>
  `${RECORD_SECRETS}${organizationId}/${recordId}`;

/** Returns the organization and the record in a name; undefined for the name of another secret. */
export function recordInName(
  name: string,
): Readonly<{ organizationId: Uuid; recordId: Uuid }> | undefined {
  if (!name.startsWith(RECORD_SECRETS)) return undefined;
  const [organizationId, recordId] = name.slice(RECORD_SECRETS.length).split('/');
  return { organizationId: organizationId as Uuid, recordId: recordId as Uuid };
}

/** Names of record secrets begin with it. */
export const RECORD_SECRETS = 'record/';

export const formatRecordSecret = (secret: RecordSecret): Uint8Array =>
  Buffer.from(JSON.stringify(secret));

export const parseRecordSecret = (bytes: Uint8Array): RecordSecret =>
  JSON.parse(Buffer.from(bytes).toString()) as RecordSecret;
