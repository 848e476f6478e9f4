/** The rules of one kind of journal. Errors: Differs, and whatever unreadable data throws. */
export interface AuditRules {
  /** Reads the journal's owner from the first event and returns the journal's name. */
  open(data: object, name: string | undefined): string;
  /** Returns false for a type without rules. */
  apply(type: string, data: object): boolean;
  transactions(): number;
}

/** Rules by the type of the event that opens a journal of their kind. */
export type RulesByOpening = Readonly<Record<string, () => AuditRules>>;
