import { differ } from '#src/verify/difference.ts';
import type { AuditRules } from '#src/verify/rules.ts';

export const audit = { TenantAdded: createTenantRules };

/**
 * The rules of the journal of tenants: one is added before anything happens to it, no change repeats, and at most one owns what
 * was recorded for a single tenant.
 */
function createTenantRules(): AuditRules {
  const statuses = new Map<string, 'active' | 'suspended'>();
  const used = new Set<string>();
  let owner: string | undefined;

  const mustBe = (id: string, status: 'active' | 'suspended' | undefined): void => {
    const is = statuses.get(id);
    if (is !== status) differ(`the tenant ${id} is ${is ?? 'not added'}`);
  };
  const table: Readonly<Record<string, (id: string) => void>> = {
    TenantAdded(id) {
      if (statuses.get(id) === 'active') differ(`the tenant ${id} is active already`);
      statuses.set(id, 'active');
    },
    TenantSuspended(id) {
      mustBe(id, 'active');
      statuses.set(id, 'suspended');
    },
    TenantFirstUsed(id) {
      mustBe(id, 'active');
      if (used.has(id)) differ(`the tenant ${id} was used before`);
      used.add(id);
    },
    DefaultTenantNamed(id) {
      if (!statuses.has(id)) differ(`the tenant ${id} is not added`);
      if (owner !== undefined) differ(`the tenant ${owner} owns what a single tenant recorded`);
      if (used.has(id)) differ(`the tenant ${id} has data of its own`);
      owner = id;
    },
  };

  return {
    open(_, name = 'tenants') {
      return name === 'tenants' ? name : differ('it begins the journal of tenants');
    },
    apply(type, data) {
      const rule = Object.hasOwn(table, type) ? table[type] : undefined;
      rule?.((data as Readonly<{ tenant: Readonly<{ id: string }> }>).tenant.id);
      return rule !== undefined;
    },
    transactions: () => 0,
  };
}
