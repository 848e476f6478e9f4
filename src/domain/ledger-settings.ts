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
