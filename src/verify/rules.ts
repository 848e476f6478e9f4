/** What the events of one kind of journal must obey; errors: Differs, and whatever unreadable data throws. */
export interface AuditRules {
  /** Reads whose journal it is out of the first event, and answers the journal's name. */
  open(data: object, name: string | undefined): string;
  /** False for a type without rules. */
  apply(type: string, data: object): boolean;
  transactions(): number;
}

/** Rules by the type of the event that opens a journal of their kind. */
export type RulesByOpening = Readonly<Record<string, () => AuditRules>>;
