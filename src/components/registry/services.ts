import type { RegistryWriteServices } from '#commands/registry/processes/services.ts';
import type { RegistryReadServices } from '#queries/registry/services.ts';
import type { PlatformFacts } from '#src/components/component.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { Damaged } from '#src/ports/errors.ts';
import { KeyServiceUnavailable } from '#src/ports/key-wrapping.ts';
import type { DataKey, RecordKeys } from '#src/ports/record-keys.ts';
import { createAccountOwners, type AccountSources } from './account-owners.ts';

/** Creates the services of the registry. Errors of keys become its refusals. */
export function createServices(
  _: object,
  { protection, ...platform }: Pick<PlatformFacts, 'protection'> & AccountSources,
): RegistryWriteServices & RegistryReadServices {
  const withKeys = <Result>(work: (keys: RecordKeys) => Promise<Result>): Promise<Result> =>
    refusing(async () => work((await protection()).keys));

  const keys: RecordKeys = {
    provision: (scope) => withKeys((all) => all.provision(scope)),
    tokens: (scope, values) => withKeys((all) => all.tokens(scope, values)),
    async create(record, entry) {
      const made = await withKeys((all) => all.create(record, entry));
      return made.taken === undefined ? { key: refusingKey(made.key) } : made;
    },
    async open(record) {
      const key = await withKeys((all) => all.open(record));
      return key && refusingKey(key);
    },
    extend: (record, tokens) => withKeys((all) => all.extend(record, tokens)),
    retain: (record, tokens) => withKeys((all) => all.retain(record, tokens)),
    destroy: (record) => withKeys((all) => all.destroy(record)),
    rewrap: (stop) => withKeys((all) => all.rewrap(stop)),
    async *list() {
      yield* (await protection()).keys.list();
    },
  };

  return {
    keys,
    accounts: createAccountOwners(platform),
    async find(scope, field, value) {
      const [token = ''] = await keys.tokens(scope, [{ field, value }]);
      const { index } = await protection();
      const found: Uuid[] = [];
      for (;;) {
        const after = found.at(-1);
        const page = { ...(after !== undefined && { after }), limit: FOUND_AT_ONCE };
        const more = await index.find(scope.organizationId, token, page);
        found.push(...more);
        if (more.length < FOUND_AT_ONCE) return found;
      }
    },
  };
}

/** A key whose values were altered is a fault of this deployment and not of the request. */
const refusingKey = (key: DataKey): DataKey => ({
  seal: (field, value) => key.seal(field, value),
  open: (field, sealed) => refusingNow(() => key.open(field, sealed)),
  sealFields: (values) => key.sealFields(values),
  openFields: (sealed) => refusingNow(() => key.openFields(sealed)),
  fingerprint: (text) => key.fingerprint(text),
});

async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusingNow<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof KeyServiceUnavailable) {
    const { upstream } = error;
    const detail = 'The service that keeps the keys of personal data is not available.';
    return refuse('KEY_SERVICE_UNAVAILABLE', detail, {
      retryAfterSeconds: 1,
      ...(upstream && { upstream }),
    });
  }
  if (error instanceof Damaged) {
    return refuse('ENCRYPTION_FAILED', 'Personal data could not be encrypted or decrypted.');
  }
  return error;
}

/** Only deleted holders share a document with a live one, so there are few. */
const FOUND_AT_ONCE = 100;
