import { differ } from './difference.ts';

/** The rules of one kind of journal. Errors: Differs, and whatever unreadable data throws. */
export interface AuditRules {
  /** Reads the journal's owner from the first event and returns the journal's name. */
  open(data: object, name: string | undefined): string;
  /** Returns false for a type without rules. */
  apply(type: string, data: object): boolean;
  transactions(): number;
}

/**
 * Joins one rule for each type of event, which gets the event's revision too; `begin` takes the first event and returns
 * the owner's id.
 */
export function createAuditRules<Data>(
  category: string,
  begin: (data: Data) => string,
  rules: Readonly<Record<string, (data: Data, revision: number) => void>>,
): AuditRules {
  let next = 0;
  return {
    open(data, name) {
      const journal = `${category}-${begin(data as Data)}`;
      return name === undefined || name === journal ? journal : differ(`it begins ${journal}`);
    },
    apply(type, data) {
      const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
      rule?.(data as Data, next);
      next += 1;
      return rule !== undefined;
    },
    transactions: () => 0,
  };
}

/** Rules by the type of the event that opens a journal of their kind. */
export type RulesByOpening = Readonly<Record<string, () => AuditRules>>;
