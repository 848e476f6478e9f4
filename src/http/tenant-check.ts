import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { isTenantId, type Tenant } from '#src/kernel/tenant.ts';
import type { TenantDirectory } from '#src/ports/tenant-directory.ts';
import type { TokenTenants } from '#src/ports/token-tenants.ts';
import type { TokenClaims } from '#src/ports/token-verifier.ts';

export type TenantCheckOptions = Readonly<{
  /** The claim that names the tenant. */
  claim: string;
  /** Undefined while the server starts. */
  directory: () => TenantDirectory | undefined;
}>;

/** Admits tenants: only the verified token says which one a request belongs to (contract access §12). */
export class TenantCheck implements TokenTenants {
  readonly #options: TenantCheckOptions;

  constructor(options: TenantCheckOptions) {
    this.#options = options;
  }

  /**
   * Returns the tenant id that events of the caller record, at once if the journal of tenants was read lately and the tenant
   * has been here before. Errors: TOKEN_INVALID, TENANT_NOT_PROVISIONED, TENANT_NOT_FOUND, TENANT_SUSPENDED,
   * TENANTS_UNAVAILABLE.
   */
  admit(claims: TokenClaims): string | Promise<string> {
    const id = claims[this.#options.claim];
    if (typeof id !== 'string' || id === '') {
      throw refuse('TOKEN_INVALID', 'The token names no tenant.');
    }
    if (!isTenantId(id)) {
      throw refuse('TENANT_NOT_PROVISIONED', 'The tenant of the token cannot be provisioned.');
    }
    const tenant = this.#admitted((tenants) => tenants.get(id));
    return tenant instanceof Promise ? tenant.then(recordedId) : recordedId(tenant);
  }

  enter(recordedAs: string): string | Promise<string> {
    const tenant = this.#admitted((tenants) => tenants.recordedAs(recordedAs));
    return tenant instanceof Promise ? tenant.then(nameOf) : nameOf(tenant);
  }

  nameOf(recordedAs: string): string | undefined {
    return this.#options.directory()?.recordedAs(recordedAs)?.id;
  }

  /** Returns whether the tenant was suspended since it was admitted, so that its streams must end. */
  isSuspended(recordedAs: string): boolean {
    return this.#options.directory()?.recordedAs(recordedAs)?.status === 'suspended';
  }

  #admitted(find: FindTenant): Tenant | Promise<Tenant> {
    const directory = this.#options.directory();
    if (directory === undefined) throw unavailable();
    if (!directory.isFresh()) return this.#admitAfterReading(find, directory);
    const tenant = admitted(find(directory));
    return tenant.isUsed ? tenant : this.#admitFirst(tenant, directory);
  }

  async #admitAfterReading(find: FindTenant, directory: TenantDirectory): Promise<Tenant> {
    try {
      await directory.refresh();
    } catch {
      throw unavailable();
    }
    const tenant = admitted(find(directory));
    return tenant.isUsed ? tenant : this.#admitFirst(tenant, directory);
  }

  async #admitFirst({ id }: Tenant, directory: TenantDirectory): Promise<Tenant> {
    try {
      await directory.use(id);
    } catch {
      throw unavailable();
    }
    return admitted(directory.get(id));
  }
}

type FindTenant = (tenants: TenantDirectory) => Tenant | undefined;

const recordedId = ({ recordedAs }: Tenant): string => recordedAs;
const nameOf = ({ id }: Tenant): string => id;

function admitted(tenant: Tenant | undefined): Tenant {
  if (tenant === undefined) throw refuse('TENANT_NOT_FOUND', 'There is no such tenant.');
  if (tenant.status === 'active') return tenant;
  throw refuse('TENANT_SUSPENDED', 'The tenant is suspended.');
}

const unavailable = (): Refusal =>
  refuse('TENANTS_UNAVAILABLE', 'The tenants cannot be read.', { retryAfterSeconds: 1 });
