/** The JSON body that a script stands for (contract ledger §8.3), not validated. Decimals are texts. */
export type Script = Readonly<{
  chartOfAccountsGroupName: string;
  description?: string;
  code?: string;
  pending?: boolean;
  metadata?: Readonly<Record<string, string>>;
  send: Readonly<{
    asset: string;
    value: string;
    source: Readonly<{ remaining?: string; from: readonly ScriptLeg[] }>;
    distribute: Readonly<{ remaining?: string; to: readonly ScriptLeg[] }>;
  }>;
}>;

export type ScriptLeg = Readonly<{ accountAlias: string }> &
  ScriptQuantity &
  Readonly<{
    rate?: ScriptRate;
    description?: string;
    chartOfAccounts?: string;
    metadata?: Readonly<Record<string, string>>;
  }>;

export type ScriptQuantity = Readonly<{
  amount?: Readonly<{ asset: string; value: string }>;
  share?: Readonly<{ percentage: number; percentageOfPercentage?: number }>;
  remaining?: string;
}>;

export type ScriptRate = Readonly<{ externalId: string; from: string; to: string; value: string }>;

/** The largest script, in bytes of UTF-8. */
export const SCRIPT_MAX = 1024 * 1024;
/** The largest number of legs on a side, as in every form of a request. */
export const LEGS_MAX = 500;
/** The text that stands for `:remaining` in the body. */
export const REMAINING = 'remaining';
