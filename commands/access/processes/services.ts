import type { ProcessServices } from '#src/journal/process.ts';
import type { Credentials } from '#src/ports/credentials.ts';
import type { Directories } from '#src/ports/directory.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import type { TokenServices } from '#src/ports/token-service.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';

/** The services of the handlers and processes that manage access. */
export type AccessServices = Readonly<{
  directories: Directories;
  /** Opens the keys of personal data on first use. Errors: Unavailable, Damaged. */
  protection: () => Promise<Readonly<{ keys: RecordKeys; index: TokenIndex }>>;
  credentials: Credentials;
  /** The ids of all groups. */
  groups: readonly string[];
  /** The names that applications may have. */
  products: readonly string[];
}>;

/** The start of the server sets them under this name. */
export const accessServices = (components: ProcessServices): AccessServices & TokenServices =>
  components['access'] as AccessServices & TokenServices;
