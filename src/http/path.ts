import { refuse, type Finding } from '#src/kernel/errors.ts';
import { parseUuid } from '#src/kernel/ids.ts';
import type { PreparedRoute } from './route-table.ts';

/** Reads the parameters of a path. Errors: PATH_INVALID, naming every parameter that is not a UUID, or not text. */
export function readPath(
  { names, declaredNames, ids }: PreparedRoute,
  values: readonly string[],
): Readonly<Record<string, string>> {
  const path: Record<string, string> = {};
  const findings: Finding[] = [];
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] ?? '';
    const value = values[i] ?? '';
    const isId = ids[i] === true;
    const read = isId ? parseUuid(value) : decoded(value);
    if (read === undefined) findings.push(findingOf(name, value, isId));
    else path[declaredNames[i] ?? name] = read;
  }
  if (findings.length > 0) throw refuse('PATH_INVALID', sentence(findings), { findings });
  return path;
}

/** Decodes a segment; it may contain an encoded slash, as an alias can. */
function decoded(value: string): string | undefined {
  if (!value.includes('%')) return value;
  try {
    const text = decodeURIComponent(value);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

const findingOf = (name: string, value: string, id: boolean): Finding => ({
  location: `path.${name}`,
  message: id ? 'must be a UUID' : 'is not valid percent-encoding',
  value: value.slice(0, SHOWN_MAX),
});

const sentence = (findings: readonly Finding[]): string =>
  findings.map(({ location, message }) => `${location.slice(5)} ${message}.`).join(' ');

const SHOWN_MAX = 256;
