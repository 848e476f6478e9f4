/** A primitive that only its own module hands out, so that an account id is never taken for a ledger id. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
declare const brand: unique symbol;
