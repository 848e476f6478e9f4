import { differ } from './difference.ts';
import type { Rules } from './rules.ts';

/** The settings of a tenant move no money: an index is made once before it is dropped once. */
export function createSettingsRules(): Rules {
  const made = new Map<string, string>();
  const table: Readonly<Record<string, (index: Index) => void>> = {
    MetadataIndexCreated({ id, entityName, metadataKey }) {
      const name = `${entityName}.${metadataKey}`;
      if (made.has(name)) differ(`there is an index ${name} already`);
      made.set(name, id);
    },
    MetadataIndexDeleted({ id, entityName, metadataKey }) {
      const name = `${entityName}.${metadataKey}`;
      if (made.get(name) !== id) differ(`there is no index ${name} with id ${id}`);
      made.delete(name);
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

type Index = Readonly<{ id: string; entityName: string; metadataKey: string }>;
