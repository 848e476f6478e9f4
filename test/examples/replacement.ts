import { createHash } from 'node:crypto';
import { DAY_MS, inMicros, INSTANT, stableInstants } from './stable-instants.ts';
import { STABLE_MEMBERS } from './stable-members.ts';

/** Replaces what differs from run to run by values that never do. */
export type Replacement = Readonly<{
  /** Leaves the instants of a request as they are wherever they appear, because the client chose them. */
  keepInstants: (value: unknown) => void;
  /** Replaces values in a body; `place` names it, and with it the ids that it has first. */
  replace: (body: unknown, place: string) => unknown;
}>;

/**
 * An id is replaced alike in every body, so that examples refer to each other. Its replacement follows from
 * the place where it is met first, so that a further request changes no other example.
 */
export function createReplacement(texts: Readonly<Record<string, string>> = {}): Replacement {
  const known = new Map<string, string>();
  const instants = new Set<string>();
  const once = (real: string, shown: () => string): string => {
    const found = known.get(real) ?? shown();
    known.set(real, found);
    return found;
  };
  return {
    keepInstants(value) {
      for (const [instant] of JSON.stringify(value).matchAll(INSTANT))
        instants.add(inMicros(instant));
    },
    replace(body, place) {
      const instant = stableInstants(body, instants);
      const positions = positionsOf(body);
      const replaceText = (text: string, at: string): string =>
        Object.entries(texts)
          .reduce((changed, [found, shown]) => changed.replaceAll(found, shown), text)
          .replace(UUID, (id) => once(id, () => exampleId(id, at)))
          .replace(INSTANT, instant)
          .replace(HASH, (hash) => once(hash, () => sha256(at)))
          .replace(JWT, EXAMPLE_JWT);
      const walk = (value: unknown, at: string, name = ''): unknown => {
        if (name in STABLE_MEMBERS && SCALARS.has(typeof value)) return STABLE_MEMBERS[name];
        if (typeof value === 'string') return positions.get(value) ?? replaceText(value, at);
        if (Array.isArray(value)) return value.map((one, n) => walk(one, `${at}[${n}]`, name));
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(
          Object.entries(value).map(([key, one]) => [
            replaceText(key, at),
            walk(one, `${at}.${key}`, key),
          ]),
        );
      };
      return walk(body, place);
    },
  };
}

/** Replaces the positions of a body in their order. */
function positionsOf(body: unknown): ReadonlyMap<string, string> {
  const found = JSON.stringify(body ?? null).match(POSITION) ?? [];
  const real = [...new Set(found)].sort();
  return new Map(real.map((one, n) => [one, String(42 + n).padStart(one.length, '0')]));
}

/** Makes a UUID of the same version as the real one, from the time of the examples. */
function exampleId(id: string, place: string): string {
  const time = DAY_MS.toString(16).padStart(12, '0');
  const chance = sha256(place);
  return [
    ...[time.slice(0, 8), time.slice(8), id.charAt(14) + chance.slice(0, 3)],
    ...['8' + chance.slice(3, 6), chance.slice(6, 18)],
  ].join('-');
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const HASH = /\b[0-9a-f]{64}\b/g;
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const POSITION = /\b0{8}\d{8}\b/g;
const SCALARS: ReadonlySet<string> = new Set(['string', 'number']);
const EXAMPLE_JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbmEubGltYSJ9.c2lnbmF0dXJl';
