import type { RefusalName } from '#src/kernel/errors.ts';
import { defaultSettings } from '#src/kernel/ledger-settings.ts';
import { FINDINGS_MAX } from './findings.ts';
import type { Flaw, Reading } from './readings.ts';

/**
 * Any part of the settings of a ledger, as it was sent (contract ledger §2.3): groups of members, each with a code
 * of its own for what may be wrong with it. Null is as good as nothing.
 */
export const readSettings: Reading = (sent, flaws) => {
  if (!isObject(sent)) {
    const message = 'must be an object';
    flaws.push({ refusal: 'BODY_UNREADABLE', location: '', message, value: sent });
    return sent;
  }
  for (const [name, value] of Object.entries(sent)) {
    if (flaws.length >= FINDINGS_MAX) break;
    if (Object.hasOwn(groups, name)) {
      readGroup(name, value, flaws);
    } else if (misplaced.has(name)) {
      const message = `belongs inside ${misplaced.get(name) ?? ''}`;
      flaws.push(flawAt(name, 'SETTING_MISPLACED', message, value));
    } else {
      flaws.push(flawAt(name, 'SETTING_UNKNOWN', 'is not a group of settings', value));
    }
  }
  return sent;
};

function readGroup(group: string, sent: unknown, flaws: Flaw[]): void {
  if (sent === null) return;
  if (!isObject(sent)) {
    flaws.push(flawAt(group, 'SETTING_TYPE', 'must be an object', sent));
    return;
  }
  const members = groups[group] ?? {};
  for (const [name, value] of Object.entries(sent)) {
    if (flaws.length >= FINDINGS_MAX) return;
    if (value === null) continue;
    const location = `${group}.${name}`;
    if (!Object.hasOwn(members, name)) {
      flaws.push(flawAt(location, 'SETTING_UNKNOWN', `is not a setting of ${group}`, value));
    } else if (typeof value !== typeof members[name]) {
      const message = `must be a ${typeof members[name]}`;
      flaws.push(flawAt(location, 'SETTING_TYPE', message, value));
    } else {
      const message = rules[location]?.(value);
      if (message !== undefined) flaws.push(flawAt(location, 'SETTING_VALUE', message, value));
    }
  }
}

/** Of values whose type is right: what is wrong with them. */
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

const flawAt = (location: string, refusal: RefusalName, message: string, value: unknown): Flaw => ({
  refusal,
  location,
  message,
  value,
});

/** Every group with its members; a default tells the type of its member. */
const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = defaultSettings;

/** The group that each member belongs inside. */
const misplaced: ReadonlyMap<string, string> = new Map(
  Object.entries(groups).flatMap(([group, members]) =>
    Object.keys(members).map((member) => [member, group] as const),
  ),
);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
