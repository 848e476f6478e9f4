/** What the random client asks for, before it becomes a request. */
export type Form = 'json' | 'inflow' | 'outflow' | 'block' | 'unblock' | 'annotation';

export type Quantity =
  Readonly<{ amount: string }> | Readonly<{ percentage: number }> | Readonly<{ remaining: true }>;

export type AskedLeg = Readonly<{ alias: string; key: string; quantity: Quantity }>;

export type AskedTransaction = Readonly<{
  form: Form;
  value: string;
  from: readonly AskedLeg[];
  to: readonly AskedLeg[];
  pending: boolean;
}>;

/** What the model predicts in place of a success. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(`${status} LDG-${code}`);
    this.status = status;
    this.code = code;
  }
}

/** The body of the request; an inflow has no sources, and an outflow no destinations. */
export function bodyOf({ form, value, from, to, pending }: AskedTransaction): object {
  const source = { from: from.map(legBody) };
  const distribute = { to: to.map(legBody) };
  return {
    ...(pending && { pending }),
    send: {
      asset: 'BRL',
      value,
      ...(form !== 'inflow' && { source }),
      ...(form !== 'outflow' && { distribute }),
    },
  };
}

function legBody({ alias, key, quantity }: AskedLeg): object {
  const named = { accountAlias: alias, ...(key !== 'default' && { balanceKey: key }) };
  if ('amount' in quantity) return { ...named, amount: { asset: 'BRL', value: quantity.amount } };
  return 'percentage' in quantity
    ? { ...named, share: quantity }
    : { ...named, remaining: 'remaining' };
}
