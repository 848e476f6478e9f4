import { differ } from '#src/verify/difference.ts';
import type { AuditRules } from '#src/verify/rules.ts';

/**
 * The rules of a tenant's settings, which move no money: an index is created once, built once if it is unique, and then
 * dropped at most once.
 */
export function createSettingsRules(): AuditRules {
  const made = new Map<string, string>();
  const building = new Set<string>();
  const table: Readonly<Record<string, (index: Index) => void>> = {
    MetadataIndexCreated(index) {
      const { id, entityName, metadataKey, unique } = index;
      const name = `${entityName}.${metadataKey}`;
      if (made.has(name)) differ(`there is an index ${name} already`);
      made.set(name, id);
      if (index.building !== undefined && (index.building !== true || !unique)) {
        differ(`${name} is built, and is not unique`);
      }
      if (index.building === true) building.add(id);
    },
    MetadataIndexBuilt({ id, entityName, metadataKey, ...more }) {
      const name = `${entityName}.${metadataKey}`;
      if (made.get(name) !== id || !building.delete(id)) differ(`no index ${name} is being built`);
      if (more.building !== undefined) differ(`${name} is built, and says that it is not`);
    },
    MetadataIndexDeleted({ id, entityName, metadataKey }) {
      const name = `${entityName}.${metadataKey}`;
      if (made.get(name) !== id) differ(`there is no index ${name} with id ${id}`);
      made.delete(name);
      building.delete(id);
    },
  };

  return {
    open(_, name = 'settings') {
      return /^settings(-|$)/.test(name) ? name : differ('it begins the settings of a tenant');
    },
    apply(type, data) {
      const rule = Object.hasOwn(table, type) ? table[type] : undefined;
      rule?.((data as Readonly<{ index: Index }>).index);
      return rule !== undefined;
    },
    transactions: () => 0,
  };
}

type Index = Readonly<{
  id: string;
  entityName: string;
  metadataKey: string;
  unique: boolean;
  building?: unknown;
}>;
