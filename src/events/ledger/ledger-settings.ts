/** What a ledger demands of its accounts and transactions, and what it lets them leave out (contract ledger §2.3). */
export type LedgerSettings = Readonly<{
  accounting: Readonly<{
    validateAccountType: boolean;
    validateRoutes: boolean;
    requireHolder: boolean;
  }>;
  tracer: Readonly<{
    mode: 'off' | 'advisory' | 'enforce';
    failPosture: 'open' | 'closed';
    timeoutMs: number;
  }>;
  overrides: Readonly<{
    allowFeeSkip: boolean;
    allowTracerSkip: boolean;
    allowHolderSkip: boolean;
  }>;
  crossLedger: Readonly<{ enabled: boolean }>;
}>;

/** Of a ledger that never said otherwise. */
export const defaultSettings: LedgerSettings = {
  accounting: { validateAccountType: false, validateRoutes: false, requireHolder: false },
  tracer: { mode: 'off', failPosture: 'open', timeoutMs: 250 },
  overrides: { allowFeeSkip: false, allowTracerSkip: false, allowHolderSkip: false },
  crossLedger: { enabled: false },
};

/** Groups and members that are to change; those left out, and nulls, stay as they are. */
export type LedgerSettingsChanges = {
  readonly [Group in keyof LedgerSettings]?:
    | { readonly [Member in keyof LedgerSettings[Group]]?: LedgerSettings[Group][Member] | null }
    | null
    | undefined;
};

/** Settings with what was said about them, one level deep. */
export function changedSettings(
  before: LedgerSettings,
  changes: LedgerSettingsChanges,
): LedgerSettings {
  const { accounting, tracer, overrides, crossLedger } = before;
  return {
    accounting: changedGroup(accounting, changes.accounting),
    tracer: changedGroup(tracer, changes.tracer),
    overrides: changedGroup(overrides, changes.overrides),
    crossLedger: changedGroup(crossLedger, changes.crossLedger),
  };
}

/** The members that differ, as paths: `accounting.validateRoutes`. */
export const differingSettings = (before: LedgerSettings, after: LedgerSettings): string[] =>
  Object.entries(after).flatMap(([group, members]) =>
    Object.entries(members)
      .filter(([member, value]) => valueIn(before, group, member) !== value)
      .map(([member]) => `${group}.${member}`),
  );

const changedGroup = <Group extends object>(
  before: Group,
  changes: { readonly [Member in keyof Group]?: Group[Member] | null } | null | undefined,
): Group => ({
  ...before,
  ...Object.fromEntries(Object.entries(changes ?? {}).filter(([, value]) => value !== null)),
});

const valueIn = (settings: LedgerSettings, group: string, member: string): unknown =>
  (settings as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group]?.[member];
