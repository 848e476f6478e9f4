import { codeOf, type ErrorCodeStyle } from './error-code.ts';
import { LIMIT_DEFAULT } from './query.ts';

const query = (name: string, schema: object, description: string): object => ({
  name,
  in: 'query',
  description,
  schema,
});

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const date = { type: 'string', examples: ['2025-06-01', '2025-06-01 12:30:00'] };

/** What every list takes (contract ledger §1.7). */
export const pagingParameters = {
  limit: query(
    'limit',
    { type: 'integer', minimum: 1, default: LIMIT_DEFAULT },
    'Items per answer; at most 100 unless the deployment says otherwise.',
  ),
  page: query('page', { type: 'integer', minimum: 1, default: 1 }, 'Number of the page.'),
  cursor: query(
    'cursor',
    { type: 'string' },
    'Token from next_cursor or prev_cursor. A page may have fewer items than limit, even none, and a next_cursor: ' +
      'the list ends where an answer has no next_cursor.',
  ),
  sort_order: query(
    'sort_order',
    { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
    'By order of creation; must not change while a cursor is followed.',
  ),
  start_date: query('start_date', date, 'Created then or later; together with end_date.'),
  end_date: query('end_date', date, 'Created then or earlier; a date means its whole day.'),
  metadata: {
    name: 'metadata',
    in: 'query',
    style: 'form',
    explode: true,
    description:
      'metadata.<key>=<value>: equality on one key, compared as text; several must all hold.',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

export const headerParameters = {
  'X-Request-Id': header('X-Request-Id', '1 to 128 visible ASCII characters; echoed, or minted.'),
  'X-Consistency-Token': header(
    'X-Consistency-Token',
    'From the answer of a write: the answer shows at least what that write did.',
  ),
  'X-Idempotency': header(
    'X-Idempotency',
    'At most 1024 visible ASCII characters. A repeated request with it gets the first answer again.',
  ),
  'Idempotency-Key': header('Idempotency-Key', 'Synonym of X-Idempotency.'),
  'X-TTL': header('X-TTL', 'Seconds the key lives; for ever without it.'),
};

/** RFC 9457, with the members existing clients read (contract ledger §1.8). */
export const problemSchemaOf = (style?: ErrorCodeStyle) => ({
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference', default: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer', format: 'int64' },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri' },
    code: { type: 'string', examples: [codeOf('INSUFFICIENT_FUNDS', style)] },
    errors: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        properties: { location: { type: 'string' }, message: { type: 'string' }, value: {} },
        additionalProperties: false,
      },
    },
    message: { type: 'string', description: 'Equals detail' },
    legacyCode: { type: 'string', examples: ['0018'] },
    entityType: { type: 'string' },
    fields: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'message', 'legacyCode'],
});
