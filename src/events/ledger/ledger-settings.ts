/**
 * The validation rules of a ledger for its accounts and transactions, and the exceptions from them (contract ledger
 * §2.3).
 */
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

/** The settings of a ledger for which none were ever set. */
export const defaultSettings: LedgerSettings = {
  accounting: { validateAccountType: false, validateRoutes: false, requireHolder: false },
  tracer: { mode: 'off', failPosture: 'open', timeoutMs: 250 },
  overrides: { allowFeeSkip: false, allowTracerSkip: false, allowHolderSkip: false },
  crossLedger: { enabled: false },
};

/** Setting groups and members to change; absent ones and nulls stay as they are. */
export type LedgerSettingsChanges = {
  readonly [Group in keyof LedgerSettings]?:
    | { readonly [Member in keyof LedgerSettings[Group]]?: LedgerSettings[Group][Member] | null }
    | null
    | undefined;
};

/** Returns the settings with the changes applied, one level deep. */
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

/** Returns the members that differ, as paths: `accounting.validateRoutes`. */
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
