/** The alias of the account that stands for the world outside, built from the code as written (§3.4.3). */
export const externalAlias = (assetCode: string): string => `@external/${assetCode}`;
