import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { TokenCursor } from './cursor.ts';
import {
  LEGS_MAX,
  REMAINING,
  type ScriptQuantity,
  type Script,
  type ScriptLeg,
  type ScriptRate,
} from './script.ts';
import { account, metadata, name, percentage, text, value } from './values.ts';

/**
 * Converts a script (contract ledger §8.2) into the JSON body that it stands for, in one pass. No clause contains one
 * of its own kind, so the stack stays flat. Errors: DSL_INVALID with line, column, what was found and what was
 * expected; MALFORMED_FIELD and TOO_MANY_KEYS as for a JSON body.
 */
export function parseScript(script: string): Script {
  const at = new TokenCursor(script);
  at.open('transaction', 'transaction-template');
  at.word('V1');
  at.open('chart-of-accounts-group-name');
  const chartOfAccountsGroupName = closed(at, name);
  const optionalMembers = {
    ...optional(at, 'description', 'description', text),
    ...optional(at, 'code', 'code', name),
    ...optional(at, 'pending', 'pending', () => at.word('true', 'false') === 'true'),
    ...optional(at, 'metadata', 'metadata', metadata),
  };
  at.open('send');
  const send = closed(at, sending);
  at.close();
  at.need('end');
  return { chartOfAccountsGroupName, ...optionalMembers, send };
}

function sending(at: TokenCursor): Script['send'] {
  const asset = name(at);
  const total = value(at);
  at.open('source');
  const source = closed(at, () => ({ ...remainder(at), from: legs(at, 'from', 'source.from') }));
  at.open('distribute');
  const distribute = closed(at, () => ({ ...remainder(at), to: legs(at, 'to', 'distribute.to') }));
  return { asset, value: total, source, distribute };
}

const remainder = (at: TokenCursor): { remaining?: string } =>
  at.take(':remaining') ? { remaining: REMAINING } : {};

function legs(at: TokenCursor, clause: string, side: string): ScriptLeg[] {
  const found: ScriptLeg[] = [];
  at.open(clause);
  do {
    if (found.length === LEGS_MAX) throw tooMany(`send.${side}`);
    found.push(closed(at, leg));
  } while (at.opens(clause));
  return found;
}

const leg = (at: TokenCursor): ScriptLeg => ({
  accountAlias: account(at),
  ...quantity(at),
  ...optional(at, 'rate', 'rate', rate),
  ...optional(at, 'description', 'description', text),
  ...optional(at, 'chart-of-accounts', 'chartOfAccounts', name),
  ...optional(at, 'metadata', 'metadata', metadata),
});

function quantity(at: TokenCursor): ScriptQuantity {
  if (at.take(':amount')) return { amount: { asset: name(at), value: value(at) } };
  if (at.take(':share')) {
    const share = { percentage: percentage(at) };
    return at.take(':of')
      ? { share: { ...share, percentageOfPercentage: percentage(at) } }
      : { share };
  }
  at.need(':remaining');
  return { remaining: REMAINING };
}

function rate(at: TokenCursor): ScriptRate {
  const externalId = name(at);
  const from = name(at);
  at.need('->');
  return { externalId, from, to: name(at), value: value(at) };
}

/** Reads an optional clause into a member of the body. */
function optional<const Name extends string, Value>(
  at: TokenCursor,
  clause: string,
  member: Name,
  read: (at: TokenCursor) => Value,
): Optional<Name, Value> {
  return (at.opens(clause) ? { [member]: closed(at, read) } : {}) as Optional<Name, Value>;
}

type Optional<Name extends string, Value> = Readonly<Partial<Record<Name, Value>>>;

function closed<Value>(at: TokenCursor, read: (at: TokenCursor) => Value): Value {
  const found = read(at);
  at.close();
  return found;
}

const tooMany = (location: string): Refusal => {
  const message = `must have at most ${LEGS_MAX} items`;
  return refuse('MALFORMED_FIELD', `${location} ${message}.`, {
    findings: [{ location, message }],
  });
};
