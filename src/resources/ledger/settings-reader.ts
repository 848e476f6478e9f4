import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { SchemaFinding, ValueReader } from '#src/kernel/schema.ts';
import { FINDINGS_MAX, isObject, wrongType } from '#src/kernel/value-reader.ts';

type SettingRefusal = Extract<LedgerRefusalName, `SETTING_${string}`>;

/**
 * Reads any part of the settings of a ledger (contract ledger §2.3): groups of members, each with its own code for
 * invalid values. A null counts as absent.
 */
export const settingsReader: ValueReader = {
  read: readSettings,
  refusals: [
    'SETTING_UNKNOWN',
    'SETTING_TYPE',
    'SETTING_MISPLACED',
    'SETTING_VALUE',
  ] satisfies SettingRefusal[],
};

function readSettings(sent: unknown, findings: SchemaFinding[]): unknown {
  if (!isObject(sent)) return wrongType(sent, findings);
  for (const [name, value] of Object.entries(sent)) {
    if (findings.length >= FINDINGS_MAX) break;
    if (Object.hasOwn(groups, name)) {
      readGroup(name, value, findings);
    } else if (misplaced.has(name)) {
      const message = `belongs inside ${misplaced.get(name) ?? ''}`;
      findings.push(flawAt(name, 'SETTING_MISPLACED', message, value));
    } else {
      findings.push(flawAt(name, 'SETTING_UNKNOWN', 'is not a group of settings', value));
    }
  }
  return sent;
}

function readGroup(group: string, sent: unknown, findings: SchemaFinding[]): void {
  if (sent === null) return;
  if (!isObject(sent)) {
    findings.push(flawAt(group, 'SETTING_TYPE', 'must be an object', sent));
    return;
  }
  const members = groups[group] ?? {};
  for (const [name, value] of Object.entries(sent)) {
    if (findings.length >= FINDINGS_MAX) return;
    if (value === null) continue;
    const location = `${group}.${name}`;
    if (!Object.hasOwn(members, name)) {
      findings.push(flawAt(location, 'SETTING_UNKNOWN', `is not a setting of ${group}`, value));
    } else if (typeof value !== typeof members[name]) {
      const message = `must be a ${typeof members[name]}`;
      findings.push(flawAt(location, 'SETTING_TYPE', message, value));
    } else {
      const message = rules[location]?.(value);
      if (message !== undefined) findings.push(flawAt(location, 'SETTING_VALUE', message, value));
    }
  }
}

/** Checks of values that have the right type; each returns what is wrong with the value. */
const rules: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  'tracer.mode': (value) =>
    value === 'enforce'
      ? 'needs a reservation service, and none is configured'
      : oneOf(value, 'off', 'advisory', 'enforce'),
  'tracer.failPosture': (value) => oneOf(value, 'open', 'closed'),
  'tracer.timeoutMs': (value) =>
    Number.isSafeInteger(value) && (value as number) >= 1
      ? undefined
      : 'must be a whole number of milliseconds, at least 1',
};

const oneOf = (value: unknown, ...words: readonly string[]): string | undefined =>
  words.includes(value as string)
    ? undefined
    : `must be one of ${words.map((word) => `"${word}"`).join(', ')}`;

/** Findings always name LedgerSettings as their entity, even while the ledger is being created (§1.8). */
const flawAt = (
  location: string,
  refusal: SettingRefusal,
  message: string,
  value: unknown,
): SchemaFinding => ({ refusal, location, message, value, entityType: 'LedgerSettings' });

/** All groups with their members; the default of a member determines its type. */
const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = defaultSettings;

/** The group to which each member belongs. */
const misplaced: ReadonlyMap<string, string> = new Map(
  Object.entries(groups).flatMap(([group, members]) =>
    Object.keys(members).map((member) => [member, group] as const),
  ),
);
