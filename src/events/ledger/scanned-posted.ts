import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { accountAt } from './known-accounts.ts';
import type { Move, Posted } from './posted-parts.ts';

/**
 * Reads the parts of a transaction that read models use from data of schema version 2 in its usual form: no member besides a
 * description, and operations on first balances without holds. Undefined for anything else. It follows the text value by
 * value and takes no escape, so a text of a client cannot be mistaken for anything else.
 */
export function scannedPosted(data: string): Posted | undefined {
  if (!data.startsWith(POSTED) || data.includes('\\')) return undefined;
  const scan = new PostingScan(data, POSTED.length);
  const id = scan.value(NEXT) as Uuid;
  scan.value(NEXT); // The organization.
  const ledgerId = sameLedger(scan.value(NEXT) as Uuid);
  const createdAt = scan.value(NEXT) as Instant;
  const assetCode = sameAsset(scan.value(NEXT));
  const amount = scan.value(POSTINGS);
  if (id.length !== ID_LENGTH || ledgerId.length !== ID_LENGTH) return undefined;

  const moves: Move[] = [];
  do {
    const move = moveIn(scan);
    if (move === undefined) return undefined;
    moves.push(move);
  } while (scan.passes(','));
  if (!scan.passes(']')) return undefined;
  if (scan.passes(DESCRIPTION)) scan.value('}');
  if (!scan.passes('}') || !scan.isAtEnd) return undefined;
  return {
    id,
    ledgerId,
    parentTransactionId: undefined,
    amount,
    assetCode,
    route: undefined,
    routeId: undefined,
    routedFrom: NONE,
    groupId: undefined,
    createdAt,
    updatedAt: createdAt,
    moves,
    feeDebts: undefined,
  };
}

function moveIn(scan: PostingScan): Move | undefined {
  const isDebit = scan.passes(DEBIT);
  if (!isDebit && !scan.passes(CREDIT)) return undefined;
  const account = accountAt(scan.text, scan.at);
  if (account === undefined) return undefined;
  scan.pass(account.accountId.length, NEXT_VALUE);
  const accountAlias = scan.value(NEXT);
  scan.value(NEXT); // The amount.
  const before = scan.value(NEXT);
  const available = scan.value(',');
  const version = scan.count();
  if (!scan.passes(']')) return undefined;
  return {
    type: isDebit ? 'DEBIT' : 'CREDIT',
    direction: isDebit ? 'debit' : 'credit',
    accountId: account.accountId,
    accountAlias,
    balanceId: account.balanceId,
    balanceKey: 'default',
    before: { available: before, onHold: '0' },
    balanceAfter: { available, onHold: '0', version, overdraftUsed: '0' },
  };
}

/** A place in a text that moves on. Once anything is missing, it stays at the end of the text, where nothing passes. */
class PostingScan {
  readonly text: string;
  at: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at === this.text.length;
  }

  /** Moves past these characters if they come next, and returns whether they did. */
  passes(next: string): boolean {
    if (!this.text.startsWith(next, this.at)) return false;
    this.at += next.length;
    return true;
  }

  /** Moves past a number of known characters and those that must follow. */
  pass(known: number, then: string): void {
    this.at += known;
    if (!this.passes(then)) this.#fail();
  }

  /** Reads a text up to its quotation mark, after which these characters must follow. */
  value(then: string): string {
    const end = this.text.indexOf('"', this.at);
    if (end < 0) {
      this.#fail();
      return '';
    }
    const value = this.text.slice(this.at, end);
    this.at = end + 1;
    if (!this.passes(then)) this.#fail();
    return value;
  }

  /** Reads a whole number. */
  count(): number {
    const from = this.at;
    let count = 0;
    for (;;) {
      const digit = this.text.charCodeAt(this.at) - DIGIT_0;
      if (!(digit >= 0 && digit <= 9)) break;
      count = count * 10 + digit;
      this.at += 1;
    }
    const digits = this.at - from;
    if (digits === 0 || digits > DIGITS_MAX) this.#fail();
    return count;
  }

  #fail(): void {
    this.at = this.text.length;
  }
}

/** Returns a function that returns one string for equal texts that follow each other. */
function sharedText<Text extends string>(): (text: Text) => Text {
  let last: Text | undefined;
  return (text) => (text === last ? last : (last = text));
}

/* Both are looked up for each event, which takes long for a new string. */
const sameLedger = sharedText<Uuid>();
const sameAsset = sharedText<string>();

const POSTED = '{"posted":["';
const NEXT = ',"';
const NEXT_VALUE = '","';
const POSTINGS = '],"postings":[';
const DEBIT = '["D","';
const CREDIT = '["C","';
const DESCRIPTION = ',"more":{"description":"';
const ID_LENGTH = 36;
const DIGIT_0 = 48;
const DIGITS_MAX = 15;
const NONE: readonly string[] = [];
