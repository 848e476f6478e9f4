import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import { accessJournal } from '#src/kernel/journal-name.ts';
import type { Directories, Directory } from '#src/ports/directory.ts';
import type { TokenServices } from '#src/ports/token-service.ts';

/** Returns the directory of the caller's tenant once it has what the caller must see. Errors: Refusal UNAVAILABLE, Unavailable. */
export async function directoryFor(
  { context, consistencyToken }: Request,
  { components }: Pick<Services, 'components'>,
): Promise<Directory> {
  const { directories } = components['access'] as Readonly<{ directories: Directories }>;
  const directory = await directories.of(context.tenantId);
  const revision = consistencyToken?.[accessJournal(context.tenantId)];
  if (revision === undefined || (await directory.reached(revision))) return directory;
  const detail = 'The writes that the consistency token names cannot be read yet.';
  throw refuse('UNAVAILABLE', detail, { retryAfterSeconds: 1 });
}

export const tokenServices = ({ components }: Pick<Services, 'components'>): TokenServices =>
  components['access'] as TokenServices;
