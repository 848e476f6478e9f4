import { EVENT_ID_PATTERN } from '#src/kernel/uuid-time.ts';
import { codeIn, type ErrorCodeStyle } from './error-code.ts';
import { KEY_MAX, TOKEN_MAX } from './headers.ts';
import { CURSOR_MAX, LIMIT_DEFAULT, METADATA_FILTERS_MAX, PAGE_MAX, TEXT_MAX } from './query.ts';

const query = (name: string, schema: object, description: string): object => ({
  name,
  in: 'query',
  description,
  schema,
});

const header = (name: string, description: string, schema: object = {}): object => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
});

/** The standard has no name for the third accepted form, so it is only described. */
export const dateForms = {
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
  description: 'YYYY-MM-DD hh:mm:ss is accepted as well, in UTC.',
} as const;

/** Describes the two parameters as one object, because no other schema can state that they go together. */
const dates = (together: boolean): object => ({
  name: 'dates',
  in: 'query',
  style: 'form',
  explode: true,
  description: `Created from start_date to end_date, ${
    together ? 'sent together' : 'either of which may be left out'
  }; a date alone means its whole day.`,
  schema: {
    type: 'object',
    properties: { start_date: dateForms, end_date: dateForms },
    ...(together && {
      dependentRequired: { start_date: ['end_date'], end_date: ['start_date'] },
    }),
    additionalProperties: false,
  },
});

/** The parameters of every list (contract ledger §1.7). */
export const pagingParameters = (limitMax: number) => ({
  limit: query(
    'limit',
    { type: 'integer', minimum: 1, maximum: limitMax, default: Math.min(LIMIT_DEFAULT, limitMax) },
    'Items per page.',
  ),
  page: query(
    'page',
    { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: 1 },
    'Number of the page.',
  ),
  cursor: query(
    'cursor',
    { type: 'string', maxLength: CURSOR_MAX },
    'Token from next_cursor or prev_cursor; any other text is refused. A page may have fewer items than limit, even none, ' +
      'and a next_cursor: the list ends where a response has no next_cursor.',
  ),
  sort_order: query(
    'sort_order',
    { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
    'By order of creation; must not change while a cursor is followed.',
  ),
  dates: dates(true),
  loneDates: dates(false),
  metadata: {
    name: 'metadata',
    in: 'query',
    style: 'form',
    explode: true,
    description:
      'metadata.<key>=<value>: equality on one key, compared as text; several must all hold.',
    schema: {
      type: 'object',
      propertyNames: { pattern: '^metadata[.]', minLength: 'metadata.'.length + 1 },
      additionalProperties: { type: 'string' },
      maxProperties: METADATA_FILTERS_MAX,
    },
  },
});

const visibleAscii = { pattern: '^[!-~]*$', maxLength: KEY_MAX };

export const headerParameters = {
  'X-Request-Id': header(
    'X-Request-Id',
    '1 to 128 visible ASCII characters; returned in the response, and generated if you send none.',
  ),
  'X-Consistency-Token': header(
    'X-Consistency-Token',
    'From the response to a write; any other text is refused. The response shows at least what that write did.',
    { pattern: '^[A-Za-z0-9_-]*$', maxLength: TOKEN_MAX },
  ),
  'X-Idempotency': header(
    'X-Idempotency',
    'A repeated request with the same key gets the first response again.',
    visibleAscii,
  ),
  'Idempotency-Key': header('Idempotency-Key', 'Synonym of X-Idempotency.', visibleAscii),
  'X-TTL': header('X-TTL', 'Seconds the key lives; without it, the key does not expire.'),
  'Last-Event-ID': header(
    'Last-Event-ID',
    'The id of the last message that was processed: the stream continues after it.',
    { pattern: `${EVENT_ID_PATTERN}|^$` },
  ),
};

/** The headers of replies by name. */
export const replyHeaders = {
  'X-Request-Id': replyHeader('The id of the request: yours if it was valid, otherwise a new one.'),
  'X-Consistency-Token': replyHeader(
    'Send it with a later read, which then shows at least what this write did.',
  ),
  Deprecation: replyHeader('`true`: another operation replaces this one.'),
  Link: replyHeader('The path of the operation to use instead, as `rel="successor-version"`.'),
  'X-Idempotency-Replayed': replyHeader(
    '`true` if this is the stored response to an earlier request with the same key.',
    'boolean',
  ),
  'X-Total-Count': replyHeader('The number of records, deleted ones left out.', 'integer'),
} as const;

/** A text by which a list is filtered. */
export const filterText = { maxLength: TEXT_MAX } as const;

const TEXT = { type: 'string' } as const;
const member = (description: string, schema: object): object => ({ description, ...schema });

/** Returns the schema of RFC 9457 problems, with the members existing clients read (contract ledger §1.8). */
export const problemSchemaOf = (style?: ErrorCodeStyle) => ({
  type: 'object',
  properties: {
    type: member('The page that explains the code, or `about:blank`.', {
      type: 'string',
      format: 'uri-reference',
      default: 'about:blank',
    }),
    title: member('What the code means in a few words. It is the same for every occurrence.', TEXT),
    status: member('The HTTP status of the response.', { type: 'integer', format: 'int64' }),
    detail: member('What is wrong with this request, in a sentence for people.', TEXT),
    instance: member('A new `urn:uuid:` for every occurrence; quote it to the operator.', {
      type: 'string',
      format: 'uri',
    }),
    code: member('The stable code of the error: the member to decide by.', {
      type: 'string',
      examples: [codeIn({ code: 'LDG-0018' }, style)],
    }),
    errors: member('Every finding in the request, not only the one that `code` names.', {
      type: ['array', 'null'],
      items: {
        type: 'object',
        properties: {
          location: member(
            'Where the value was: a member such as `status.code`, or `query.limit`, `path.…`, `header.…`.',
            TEXT,
          ),
          message: member('What is wrong with the value, as the end of a sentence.', TEXT),
          value: member('The value, where the request had one that is not confidential.', {}),
        },
        additionalProperties: false,
      },
    }),
    message: member('Equals detail', TEXT),
    legacyCode: member('The code without its prefix, for older clients.', {
      type: 'string',
      examples: ['0018'],
    }),
    entityType: member('The kind of record that the error concerns.', TEXT),
    upstream: member('The error of a service that the operation depends on.', {
      type: 'object',
      properties: {
        code: member('The code of that service, unchanged.', TEXT),
        message: member('The message of that service, cut to 256 characters.', {
          type: 'string',
          maxLength: 256,
        }),
      },
      additionalProperties: false,
    }),
    fields: member('The messages of `errors` by member, for older clients.', {
      type: 'object',
      additionalProperties: TEXT,
    }),
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'message', 'legacyCode'],
});

function replyHeader(description: string, type = 'string'): object {
  return { description, schema: { type } };
}
