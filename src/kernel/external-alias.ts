/** Builds the alias of the account that stands for the world outside the ledger, from the code as written. */
export const externalAlias = (assetCode: string): string => EXTERNAL_PREFIX + assetCode;

/** The prefix of these aliases; no other alias begins with it. */
export const EXTERNAL_PREFIX = '@external/';
