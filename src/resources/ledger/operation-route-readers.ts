import {
  ENTRY_NAMES,
  OPERATION_TYPES,
  type AccountingEntry,
} from '#src/events/ledger/route-rules.ts';
import { fits } from '#src/kernel/code-points.ts';
import { record } from '#src/kernel/schema-fragments.ts';
import type { SchemaFinding, PublishedSchema, ValueReader } from '#src/kernel/schema.ts';
import {
  addFinding,
  isObject,
  onlyMembers,
  wrongType,
  type ValueMembers,
} from '#src/kernel/value-reader.ts';

/** Reads the account rule of an operation route; an empty rule counts as absent (contract ledger §6.1). */
export const accountRuleReader: ValueReader = { read: readAccountRule, sent: sentAccountRule() };

/**
 * Reads accounting entries, each with both sides, one of which may be null. They are skipped if the type of their route
 * is invalid.
 */
export const entriesReader: ValueReader = {
  read: (sent, findings, around) => {
    const { operationType } = around as ValueMembers;
    if (!OPERATION_TYPES.some((type) => type === operationType)) return sent;
    return isObject(sent) ? entriesOf(sent, findings, () => undefined) : wrongType(sent, findings);
  },
};

/** Reads entries of an update, where null removes an entry, or all of them. */
export const entriesPatchReader: ValueReader = {
  read: (sent, findings) => {
    if (sent === null) return null;
    return isObject(sent) ? entriesOf(sent, findings, () => null) : wrongType(sent, findings);
  },
};

function readAccountRule(sent: unknown, findings: SchemaFinding[]): unknown {
  if (!isObject(sent)) return wrongType(sent, findings);
  onlyMembers(sent, ['ruleType', 'validIf'], '', findings);
  const ruleType = given(sent['ruleType']);
  const validIf = given(sent['validIf']);
  if (ruleType === undefined && validIf === undefined) return undefined;
  if (ruleType === undefined) {
    missing('ruleType', findings);
    return undefined;
  }
  if (validIf === undefined) missing('validIf', findings);
  if (typeof ruleType !== 'string') {
    addFinding(findings, 'BODY_UNREADABLE', 'ruleType', 'must be a string', ruleType);
    return undefined;
  }
  if (ruleType === 'alias') {
    if (validIf !== undefined && typeof validIf !== 'string') {
      addFinding(findings, 'ACCOUNT_RULE_VALUE', 'validIf', 'must be a string', validIf);
    }
  } else if (ruleType === 'account_type') {
    const types = Array.isArray(validIf) ? (validIf as unknown[]) : undefined;
    if (validIf !== undefined && types?.every((type) => typeof type === 'string') !== true) {
      addFinding(findings, 'ACCOUNT_RULE_VALUE', 'validIf', 'must be a list of strings', validIf);
    }
  } else {
    addFinding(
      findings,
      'ACCOUNT_RULE_TYPE',
      'ruleType',
      'must be alias or account_type',
      ruleType,
    );
  }
  return { ruleType, validIf };
}

/** The kind of rule decides the form of `validIf`; a rule with neither counts as absent. */
function sentAccountRule(): PublishedSchema {
  const textRequired = { type: 'string', minLength: 1 } as const;
  const absent = { enum: [null, ''] } as const;
  const both = ['ruleType', 'validIf'] as const;
  const list = { type: 'array', items: { type: 'string' } } as const;
  return {
    title: 'RequestedAccountRule',
    anyOf: [
      record({ ruleType: { const: 'alias' }, validIf: textRequired }, both),
      record({ ruleType: { const: 'account_type' }, validIf: list }, both),
      record({ ruleType: absent, validIf: absent }, []),
    ],
  };
}

function entriesOf(
  sent: ValueMembers,
  findings: SchemaFinding[],
  ofNull: () => null | undefined,
): Readonly<Record<string, AccountingEntry | null>> {
  onlyMembers(sent, ENTRY_NAMES, '', findings);
  const entries: Record<string, AccountingEntry | null> = {};
  for (const name of ENTRY_NAMES) {
    const value = sent[name];
    if (value === undefined) continue;
    const entry = value === null ? ofNull() : entryOf(value, name, findings);
    if (entry !== undefined) entries[name] = entry;
  }
  return entries;
}

function entryOf(
  sent: unknown,
  at: string,
  findings: SchemaFinding[],
): AccountingEntry | undefined {
  if (!isObject(sent)) {
    addFinding(findings, 'BODY_UNREADABLE', at, 'must be an object', sent);
    return undefined;
  }
  onlyMembers(sent, ['debit', 'credit'], `${at}.`, findings);
  const debit = sideOf(sent['debit'], `${at}.debit`, findings);
  const credit = sideOf(sent['credit'], `${at}.credit`, findings);
  if ((sent['debit'] ?? sent['credit'] ?? null) === null) {
    addFinding(findings, 'REQUIRED_FIELDS', at, 'needs a debit or a credit', sent);
  }
  return { debit, credit };
}

function sideOf(sent: unknown, at: string, findings: SchemaFinding[]): AccountingEntry['debit'] {
  if (sent === undefined || sent === null) return null;
  if (!isObject(sent)) {
    addFinding(findings, 'BODY_UNREADABLE', at, 'must be an object', sent);
    return null;
  }
  onlyMembers(sent, ['code', 'description'], `${at}.`, findings);
  const code = wordOf(sent['code'], CODE_MAX, `${at}.code`, findings);
  const description = wordOf(sent['description'], DESCRIPTION_MAX, `${at}.description`, findings);
  return { ...(code !== undefined && { code }), ...(description !== undefined && { description }) };
}

function wordOf(
  sent: unknown,
  max: number,
  at: string,
  findings: SchemaFinding[],
): string | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent !== 'string') {
    addFinding(findings, 'BODY_UNREADABLE', at, 'must be a string', sent);
    return undefined;
  }
  if (fits(sent, max)) return sent;
  addFinding(findings, 'MALFORMED_FIELD', at, `must have at most ${String(max)} characters`, sent);
  return undefined;
}

/** Null and `""` count as absent where a member is required. */
const given = (value: unknown): unknown => (value === null || value === '' ? undefined : value);

const missing = (location: string, findings: SchemaFinding[]): undefined =>
  addFinding(findings, 'REQUIRED_FIELDS', location, 'is required');

const CODE_MAX = 50;
const DESCRIPTION_MAX = 250;
