/** A primitive that only its own module creates, so that an account id cannot be mistaken for a ledger id. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
declare const brand: unique symbol;
