/** What a client wants to happen, written down before it is sent. */
export type Intent =
  | Transfer
  | Settlement
  | Reversal
  | Atomic
  | Items
  | Readonly<{ is: 'account'; alias: string; body: string }>
  | Readonly<{ is: 'ledger'; name: string; body: string }>;

/**
 * `pending`: held until it is committed or cancelled. `keyless`: sent without its key, which is a metadatum then; what
 * became of one that got no answer is looked for, and it is not sent again.
 */
export type Transfer = Readonly<{
  is: 'transfer';
  key: string;
  keyless?: true;
  body: string;
  moves: readonly Move[];
  pending: boolean;
}>;

export type Settlement = Readonly<{ is: 'settle'; id: string; how: 'commit' | 'cancel' }>;

/** `moves` are those of what is to be reverted. */
export type Reversal = Readonly<{ is: 'revert'; id: string; moves: readonly Move[] }>;

/** All or none, under one key. */
export type Atomic = Readonly<{ is: 'atomic'; key: string; items: readonly Transfer[] }>;

/** Each for itself under its own key: in one body, or as a stream of lines. */
export type Items = Readonly<{
  is: 'items' | 'lines';
  name: string;
  items: Transfer[];
  /** What each was told when it was done. */
  told: Map<string, string>;
}>;

/** What a transfer does to one account, in units; worked out by the client. */
export type Move = Readonly<{ alias: string; direction: 'debit' | 'credit'; units: bigint }>;

export function nameOf(intent: Intent): string {
  switch (intent.is) {
    case 'transfer':
    case 'atomic':
      return intent.key;
    case 'account':
      return intent.alias;
    case 'ledger':
      return `ledger ${intent.name}`;
    case 'settle':
    case 'revert':
      return `${intent.is} ${intent.id}`;
    case 'items':
    case 'lines':
      return intent.name;
  }
}

/** A transfer as an item of a batch. */
export const itemOf = ({ key, body }: Transfer, keyed: boolean): object => ({
  ...(JSON.parse(body) as object),
  ...(keyed && { idempotencyKey: key }),
});
