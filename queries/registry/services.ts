import type { Services } from '#src/http/services.ts';
import type { ProtectedRecord, RecordKeys } from '#src/ports/record-keys.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The services of the handlers that read the registry. */
export type RegistryReadServices = Readonly<{
  keys: Pick<RecordKeys, 'open'>;
  /** Returns the records of an organization that have this exact value in a searchable field. Errors: Unavailable. */
  find: (
    scope: Omit<ProtectedRecord, 'recordId'>,
    field: string,
    value: string,
  ) => Promise<readonly Uuid[]>;
}>;

/** The start of the server sets them under this name. */
export const registryServices = ({
  components,
}: Pick<Services, 'components'>): RegistryReadServices =>
  components['registry'] as RegistryReadServices;
