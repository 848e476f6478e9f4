import { refuse, type Refusal } from '#src/domain/errors.ts';
import { parseUuid } from '#src/domain/ids.ts';
import type { Prepared } from './table.ts';

/** The parameters of a path. Errors: PATH_INVALID for the first that is no UUID, or not text. */
export function readPath(
  { names, ids }: Prepared,
  values: readonly string[],
): Readonly<Record<string, string>> {
  const path: Record<string, string> = {};
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] ?? '';
    const value = values[i] ?? '';
    const read = ids[i] === true ? parseUuid(value) : decoded(value);
    if (read === undefined) throw invalid(name, value, ids[i] === true);
    path[name] = read;
  }
  return path;
}

/** An encoded slash becomes one: an alias may contain it. */
function decoded(value: string): string | undefined {
  if (!value.includes('%')) return value;
  try {
    const text = decodeURIComponent(value);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function invalid(name: string, value: string, id: boolean): Refusal {
  const message = id ? 'must be a UUID' : 'is not valid percent-encoding';
  return refuse('PATH_INVALID', `${name} ${message}.`, {
    findings: [{ location: `path.${name}`, message, value: value.slice(0, SHOWN_MAX) }],
  });
}

const SHOWN_MAX = 256;
