import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import { accessJournal } from '#src/kernel/journal-name.ts';
import type { Directory } from '#src/ports/directory.ts';
import type { TokenServices } from '#src/ports/token-service.ts';

/** Returns the directory once it has what the caller must see. Errors: Refusal UNAVAILABLE, Unavailable. */
export async function directoryFor(
  { context, consistencyToken }: Request,
  { components }: Pick<Services, 'components'>,
): Promise<Directory> {
  const { directory } = components['access'] as Readonly<{ directory: Directory }>;
  const revision = consistencyToken?.[accessJournal(context.tenantId)];
  if (revision === undefined || (await directory.reached(revision))) return directory;
  const detail = 'The writes that the consistency token names cannot be read yet.';
  throw refuse('UNAVAILABLE', detail, { retryAfterSeconds: 1 });
}

export const tokenServices = ({ components }: Pick<Services, 'components'>): TokenServices =>
  components['access'] as TokenServices;
