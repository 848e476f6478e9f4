/** The alias of the account that stands for the world outside the ledger, built from the code as written. */
export const externalAlias = (assetCode: string): string => EXTERNAL_PREFIX + assetCode;

/** No other alias begins with it. */
export const EXTERNAL_PREFIX = '@external/';
