import { refuse, refuseAny, type Refusal, type RefusalName } from '#src/kernel/errors.ts';
import { parseUuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { Filter } from '#src/kernel/filters.ts';
import { fits } from '#src/kernel/code-points.ts';
import { monthsAfter, readMoment, type Moment } from './instants.ts';
import type { PageRequest, SortOrder } from './request.ts';
import type { Route } from './route.ts';

export const LIMIT_DEFAULT = 10;
/** The default of the deployment's setting. */
export const LIMIT_MAX_DEFAULT = 100;

/** The limits of all lists, set by an operator. */
export type ListBounds = Readonly<{
  limitMax: number;
  /** The longest date range, in months; undefined means unlimited. */
  windowMonthsMax?: number | undefined;
}>;

/** Reads the typed parameters of a request; throws the refusal of the first invalid one, with the findings of all. */
export function readQuery(
  search: string,
  route: Pick<Route, 'filters' | 'paging' | 'loneDates' | 'noMetadata' | 'pageRefusal'>,
  { limitMax, windowMonthsMax }: ListBounds,
): Readonly<{ page: PageRequest | undefined; query: Readonly<Record<string, unknown>> }> {
  const sent = parametersOf(search);
  const findings: QueryFinding[] = [];
  const page = route.paging && readPage(sent, findings, limitMax, route);
  const query: Record<string, unknown> = {};
  for (const [name, filter] of Object.entries(route.filters)) {
    query[name] = readFilter(name, filter, sent.get(name), findings);
  }
  if (findings.length > 0) throw refusalOf(findings);
  if (page && windowMonthsMax !== undefined) checkWindow(page, windowMonthsMax);
  return { page, query };
}

/** If a parameter is sent more than once, the last one counts; malformed percent-encoding is taken literally. */
function parametersOf(search: string): ReadonlyMap<string, string> {
  const sent = new Map<string, string>();
  if (search === '') return sent;
  for (const [name, value] of new URLSearchParams(search)) sent.set(name, value);
  return sent;
}

type QueryFinding = Readonly<{
  refusal: RefusalName;
  name: string;
  message: string;
  value?: string;
}>;
type Sent = ReadonlyMap<string, string>;

function readPage(
  sent: Sent,
  findings: QueryFinding[],
  limitMax: number,
  { loneDates, noMetadata, pageRefusal }: Pick<Route, 'loneDates' | 'noMetadata' | 'pageRefusal'>,
): PageRequest {
  const limit = readLimit(sent.get('limit'), findings, limitMax);
  const page = readPageNumber(textOf(sent, 'page'), findings, pageRefusal);
  const cursor = textOf(sent, 'cursor');
  if (cursor !== undefined && (cursor.length > CURSOR_MAX || cursor.includes('\0'))) {
    findings.push({
      refusal: 'QUERY_INVALID',
      name: 'cursor',
      message: 'does not come from an earlier response',
    });
  }
  const sortOrder = readSortOrder(textOf(sent, 'sort_order'), findings);
  const { startDate, endDate } = readDates(sent, findings, loneDates === true);
  const metadata = noMetadata === true ? [] : metadataOf(sent, findings);
  const said = [sent.get('limit'), page, cursor, sortOrder, startDate, endDate, ...metadata];
  const bare = said.every((one) => one === undefined);
  return { limit, page, cursor, sortOrder, startDate, endDate, metadata, bare };
}

function readLimit(value: string | undefined, findings: QueryFinding[], max: number): number {
  if (value === undefined) return LIMIT_DEFAULT > max ? max : LIMIT_DEFAULT;
  if (!/^0*[1-9]\d*$/.test(value)) {
    const message = 'must be a positive integer';
    findings.push({ refusal: 'QUERY_INVALID', name: 'limit', message, value });
  } else if (Number(value) > max) {
    const message = `must be at most ${max}`;
    findings.push({ refusal: 'LIMIT_TOO_HIGH', name: 'limit', message, value });
  }
  return Number(value);
}

function readPageNumber(
  value: string | undefined,
  findings: QueryFinding[],
  refusal: RefusalName = 'QUERY_INVALID',
): number | undefined {
  if (value === undefined) return undefined;
  const page = Number(value);
  if (!/^0*[1-9]\d*$/.test(value) || page > PAGE_MAX) {
    const message = 'must be a positive integer';
    findings.push({ refusal, name: 'page', message, value });
  }
  return page;
}

function readSortOrder(value: string | undefined, findings: QueryFinding[]): SortOrder | undefined {
  const word = value?.toLowerCase();
  if (word === undefined || word === 'asc' || word === 'desc') return word;
  const message = 'must be asc or desc';
  findings.push({
    refusal: 'SORT_ORDER_INVALID',
    name: 'sort_order',
    message,
    ...(value && { value }),
  });
  return undefined;
}

function readDates(
  sent: Sent,
  findings: QueryFinding[],
  loneDates: boolean,
): Readonly<{ startDate: Instant | undefined; endDate: Instant | undefined }> {
  const start = textOf(sent, 'start_date');
  const end = textOf(sent, 'end_date');
  if (!loneDates && (start === undefined) !== (end === undefined)) {
    const name = start === undefined ? 'start_date' : 'end_date';
    const message = 'is missing: the two dates go together';
    findings.push({ refusal: 'BOTH_DATES_NEEDED', name, message });
  }
  const from =
    start === undefined ? undefined : readDate('start_date', start, 'DATE_FORMAT', findings);
  const to = end === undefined ? undefined : readDate('end_date', end, 'DATE_FORMAT', findings);
  if (from && to && end && from.first > to.last) {
    const message = 'must not be before start_date';
    findings.push({ refusal: 'END_BEFORE_START', name: 'end_date', message, value: end });
  }
  return { startDate: from?.first, endDate: to?.last };
}

/**
 * Checks the date range by days: from the first of one month to the first of the next is a month. Errors:
 * WINDOW_TOO_LONG.
 */
function checkWindow({ startDate, endDate }: PageRequest, monthsMax: number): void {
  if (startDate === undefined || endDate === undefined) return;
  const last = monthsAfter(startDate, monthsMax);
  if (last === undefined || endDate.slice(0, 10) <= last.slice(0, 10)) return;
  const message = `must be at most ${monthsMax === 1 ? 'a month' : `${monthsMax} months`} after start_date`;
  throw refuse('WINDOW_TOO_LONG', `end_date ${message}.`, {
    findings: [{ location: 'query.end_date', message }],
  });
}

function readDate(
  name: string,
  value: string,
  refusal: RefusalName,
  findings: QueryFinding[],
): Moment | undefined {
  const moment = readMoment(value);
  if (moment === undefined) {
    const message = 'must be YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339';
    findings.push({ refusal, name, message, value });
  }
  return moment;
}

function metadataOf(sent: Sent, findings: QueryFinding[]): PageRequest['metadata'] {
  const found: { key: string; value: string }[] = [];
  for (const [name, value] of sent) {
    if (!name.startsWith('metadata.') || name.length === 'metadata.'.length || value === '')
      continue;
    if (found.length === METADATA_FILTERS_MAX || name.includes('\0') || value.includes('\0')) {
      const message = `must be text, and at most ${METADATA_FILTERS_MAX} of them`;
      findings.push({ refusal: 'QUERY_INVALID', name, message, value });
      break;
    }
    found.push({ key: name.slice('metadata.'.length), value });
  }
  return found;
}

function readFilter(
  name: string,
  filter: Filter,
  raw: string | undefined,
  findings: QueryFinding[],
): unknown {
  const value = raw?.trim();
  if (value === undefined || (value === '' && name !== 'limit')) {
    if (filter.required === true) {
      findings.push({ refusal: 'QUERY_MISSING', name, message: 'is required' });
    }
    return undefined;
  }
  const wrong = (message: string, refusal: RefusalName = 'QUERY_INVALID'): unknown => {
    findings.push({ refusal: filter.refusal ?? refusal, name, message, value });
    return undefined;
  };
  if (!fits(value, TEXT_MAX)) return wrong(`must have at most ${TEXT_MAX} characters`);
  if (value.includes('\0')) return wrong('must not contain a NUL character');
  if (filter.type === 'boolean') return BOOLEANS.get(value) ?? wrong('must be true or false');
  if (filter.type === 'integer') {
    const number = /^-?\d+$/.test(value) ? wholeNumber(value) : undefined;
    if (number === undefined || number < (filter.minimum ?? number)) {
      return wrong(
        filter.minimum === undefined
          ? 'must be an integer'
          : `must be an integer of at least ${filter.minimum}`,
      );
    }
    return number;
  }
  if (filter.format === 'uuid') return parseUuid(value) ?? wrong('must be a UUID');
  if (filter.format === 'date-time' && !RFC_3339.test(value)) {
    return wrong('must be a date-time of RFC 3339', 'DATE_FORMAT');
  }
  if (filter.format === 'moment' && DAY.test(value)) {
    return wrong('must say the time of day as well', 'DATE_FORMAT');
  }
  if (filter.format !== undefined) {
    return readDate(name, value, filter.refusal ?? 'DATE_FORMAT', findings)?.first;
  }
  if (filter.enum === undefined) return value;
  const folded = value.toLowerCase();
  const word = filter.enum.find((one) =>
    filter.anyCase === true ? one.toLowerCase() === folded : one === value,
  );
  return word ?? wrong(`must be one of ${filter.enum.join(', ')}`);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Caps a number that is too large for a double; no count here comes near it. */
const wholeNumber = (digits: string): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(digits)));

/** Returns the text of a parameter; an empty one counts as absent. */
function textOf(sent: Sent, name: string): string | undefined {
  const text = sent.get(name)?.trim();
  return text === '' ? undefined : text;
}

function refusalOf(findings: readonly QueryFinding[]): Refusal {
  const [first] = findings;
  if (first === undefined) throw new Error('A refusal needs a finding');
  return refuseAny(first.refusal, `${first.name} ${first.message}.`, {
    findings: findings.map(({ name, message, value }) => ({
      location: `query.${name}`,
      message,
      ...(value !== undefined && { value: value.slice(0, TEXT_MAX).toWellFormed() }),
    })),
  });
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
]);

/** Checks only the form; whether the moment exists is checked next. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

export const TEXT_MAX = 256;
export const CURSOR_MAX = 2048;
export const PAGE_MAX = Number.MAX_SAFE_INTEGER;
export const METADATA_FILTERS_MAX = 20;
