import { platformRefusals, type PlatformRefusalName } from './errors.ts';
import { explained, type Explanation } from './explanation.ts';

const explanations: Readonly<Record<PlatformRefusalName, Explanation>> = {
  BODY_UNREADABLE: {
    means:
      'The body is not JSON, is not sent as application/json, names a member twice, or holds a value of another ' +
      'JSON type or a number of another form than the field takes.',
    detail: 'The body must be sent as Content-Type: application/json.',
    errors: [{ location: 'header.Content-Type', message: 'must be application/json' }],
  },
  UNEXPECTED_FIELDS: {
    means:
      'The body has a field the operation does not know, or one that cannot be set here, or null where a value is ' +
      'needed. Nothing is ignored silently: leave the field out.',
    detail: 'ledgerName is not a field of this operation.',
    errors: [
      { location: 'ledgerName', message: 'is not a field of this operation', value: 'Retail' },
    ],
  },
  REQUIRED_FIELDS: {
    means:
      'A field the operation needs is absent or empty. The errors list names every such field.',
    detail: 'legalName is required.',
    errors: [{ location: 'legalName', message: 'is required' }],
  },
  MALFORMED_FIELD: {
    beyondSchema: 'No text holds a NUL character',
    means:
      'A field is there but not in its form: too long, outside its list of words, no UUID, no date. An idempotency ' +
      'key that is too long or has other than visible ASCII characters is one, too.',
    detail: 'portfolioId must be a UUID.',
    errors: [{ location: 'portfolioId', message: 'must be a UUID', value: 'main' }],
  },
  TOO_DEEP: {
    beyondSchema: 'A body has at most 10 levels',
    means: 'Objects and arrays of the body stand more than ten levels inside each other.',
    detail: 'The body is nested deeper than 10 levels.',
    entityType: 'request',
  },
  TOO_MANY_KEYS: {
    means:
      'An object of free form, such as metadata, has more than 100 keys; or the metadata of a record would have more, ' +
      'once what an update sends were merged into it. A null makes room: it removes its key.',
    detail: 'metadata has more than 100 keys.',
    entityType: 'request',
  },
  TOO_LARGE: {
    means:
      'The body is larger than the operation takes (1 MiB unless it says otherwise), or the event it would record ' +
      'is larger than 900 KB. Split the work into several requests.',
    detail: 'The body has more than 1048576 bytes.',
    entityType: 'request',
  },
  PATH_INVALID: {
    means: 'An id in the path is not a UUID, or a part of the path is not valid percent-encoding.',
    detail: 'ledger_id must be a UUID.',
    errors: [{ location: 'path.ledger_id', message: 'must be a UUID', value: 'retail' }],
  },
  QUERY_INVALID: {
    beyondSchema: 'A cursor or a consistency token comes from an earlier response',
    means:
      'A query parameter has a value it cannot have, a cursor belongs to another list, filter or order, or the ' +
      'X-Consistency-Token does not come from an earlier response.',
    detail: 'limit must be a positive integer.',
    errors: [{ location: 'query.limit', message: 'must be a positive integer', value: 'all' }],
  },
  QUERY_MISSING: {
    means: 'The operation cannot be answered without a query parameter that is absent or empty.',
    detail: 'date is required.',
    errors: [{ location: 'query.date', message: 'is required' }],
  },
  LIMIT_TOO_HIGH: {
    means:
      'The limit of a list is above the maximum of the deployment, which is 100 by default. Ask for less and follow ' +
      'the pages.',
    detail: 'limit must be at most 100.',
    errors: [{ location: 'query.limit', message: 'must be at most 100', value: '1000' }],
  },
  SORT_ORDER_INVALID: {
    means: 'sort_order is neither asc nor desc.',
    detail: 'sort_order must be asc or desc.',
    errors: [{ location: 'query.sort_order', message: 'must be asc or desc', value: 'newest' }],
  },
  BOTH_DATES_NEEDED: {
    means: 'start_date and end_date mean a period only together: send both, or neither.',
    detail: 'end_date is missing: the two dates go together.',
    errors: [{ location: 'query.end_date', message: 'is missing: the two dates go together' }],
  },
  DATE_FORMAT: {
    means: 'A date is not of the form 2025-06-01, 2025-06-01 12:30:00 or 2025-06-01T12:30:00Z.',
    detail: 'start_date must be YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339.',
    errors: [
      {
        location: 'query.start_date',
        message: 'must be YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339',
        value: '01.06.2025',
      },
    ],
  },
  END_BEFORE_START: {
    beyondSchema: '`end_date` is not before `start_date`',
    means: 'end_date lies before start_date.',
    detail: 'end_date must not be before start_date.',
    errors: [
      { location: 'query.end_date', message: 'must not be before start_date', value: '2025-05-01' },
    ],
  },
  WINDOW_TOO_LONG: {
    beyondSchema: '`end_date` is not too long after `start_date`',
    means:
      'The two dates are further apart than the operation looks at: 90 days for the dashboard, and for lists what the ' +
      'operator has set, if anything.',
    detail: 'A window has at most 90 days.',
    errors: [{ location: 'query.end_date', message: 'must be at most 90 days after start_date' }],
  },
  METADATA_KEY_TOO_LONG: {
    means: 'A key of the metadata has more than 100 characters.',
    detail: 'metadata.a-key-without-end… must have at most 100 characters.',
    errors: [
      {
        location: 'metadata.a-key-without-end…',
        message: 'must have at most 100 characters',
        value: 1,
      },
    ],
  },
  METADATA_VALUE: {
    means:
      'A value of the metadata has more than 2000 characters when written as text, or is an array.',
    detail: 'metadata.tags must be a string, a number or a boolean.',
    errors: [
      {
        location: 'metadata.tags',
        message: 'must be a string, a number or a boolean',
        value: ['vip'],
      },
    ],
  },
  METADATA_NESTED: {
    means:
      'A value of the metadata is an object, or null where nothing is there to remove. Metadata is flat: texts, ' +
      'numbers and booleans.',
    detail: 'metadata.owner must be a string, a number or a boolean.',
    errors: [
      {
        location: 'metadata.owner',
        message: 'must be a string, a number or a boolean',
        value: { name: 'Alice' },
      },
    ],
  },
  NUMBER_OUT_OF_RANGE: {
    beyondSchema: 'A number has at most 30 fractional digits',
    means:
      'A decimal has more than 30 digits before or after the point, or a balance would grow beyond 30 digits before ' +
      'it. Nothing is ever rounded to fit.',
    detail: 'send.value must have at most 30 integer and 30 fractional digits.',
    errors: [
      {
        location: 'send.value',
        message: 'must have at most 30 integer and 30 fractional digits',
        value: '1e30',
      },
    ],
  },
  ROUTE_UNKNOWN: {
    means:
      'No operation stands at this path. Compare it with /docs; an empty segment (//) is never one.',
    detail: 'There is no such route.',
  },
  METHOD_NOT_ALLOWED: {
    means: 'The path exists, but not with this method. The Allow header lists those it takes.',
    detail: 'DELETE is not allowed here, only POST, GET, HEAD.',
  },
  HEADERS_TOO_LARGE: {
    means: 'The header fields of the request have more than 16 KiB together.',
    detail: 'The header fields have more than 16 KiB.',
  },
  MISDIRECTED: {
    means:
      'The Host header, or the authority of the request target, is not one that this server answers for. On a ' +
      'loopback address it serves the names of the loopback interface and those in ALLOWED_HOSTS, so that a web page ' +
      'cannot reach it under a name of its own (DNS rebinding).',
    detail: 'This server does not answer for the host ledger.example.',
  },
  ORIGIN_NOT_ALLOWED: {
    means:
      'A web page of an origin that is not allowed tried to change something. Nothing was changed. Origins are ' +
      'allowed by CORS_ALLOWED_ORIGINS; by default those of this machine are.',
    detail: 'Requests of this web page are not allowed to change anything.',
  },
  TOKEN_MISSING: {
    means:
      'Access management is on, and the request has no Authorization header with a bearer token.',
    detail: 'A bearer token is needed.',
  },
  TOKEN_INVALID: {
    means:
      'The bearer token is not one of the issuer, was altered, or has expired. Fetch a new one.',
    detail: 'The token has expired.',
  },
  TOKEN_WITHOUT_SUBJECT: {
    means: 'The bearer token is valid but does not say for whom it was issued.',
    detail: 'The token names no subject.',
  },
  PRIVILEGES_INSUFFICIENT: {
    means: 'The token is valid, but its owner lacks the permission that the operation names.',
    detail: 'The permission accounts:post is needed.',
  },
  PERMISSION_CHECK_FAILED: {
    means:
      'The access management that PLUGIN_AUTH_ADDRESS names refused to decide. An operator must correct the settings.',
    detail: 'The access management answered 404.',
  },
  KEYS_UNAVAILABLE: {
    means:
      'The keys of the token issuer could not be fetched for 24 hours, so that no token can be verified. Try again later.',
    detail: 'The keys of the issuer cannot be fetched.',
  },
  TENANT_NOT_PROVISIONED: {
    means:
      'This deployment serves several tenants, and the tenant in the token has an id that cannot be provisioned: it is ' +
      'reserved, too long, or has other characters than letters, digits, dots, dashes and underscores.',
    detail: 'The tenant of the token cannot be provisioned.',
  },
  TENANT_SUSPENDED: {
    means:
      'An operator suspended the tenant of the token, or that of the client of a login. Nothing of the tenant was lost.',
    detail: 'The tenant is suspended.',
  },
  TENANT_NOT_FOUND: {
    means:
      'This deployment serves several tenants, and nobody added the tenant in the token: quipu tenant add.',
    detail: 'There is no such tenant.',
  },
  TENANTS_UNAVAILABLE: {
    means:
      'The journal of tenants cannot be read, so that nobody knows whether the tenant of the token is active. Try again ' +
      'after Retry-After seconds.',
    detail: 'The tenants cannot be read.',
  },
  NOT_FOUND: {
    means: 'Nothing with this id is here, or it was deleted. entityType says what was looked for.',
    detail: 'There is no such account.',
    entityType: 'Account',
  },
  INDEX_CONFLICT: {
    means:
      'These records have an index on this key already. Or the key is unique, and another record has the value. Or a unique ' +
      'index cannot be made, because two records share a value, or because somebody dropped it while it was made.',
    detail: 'The metadata of account is indexed by tier.',
    errors: [{ location: 'metadataKey', message: 'is indexed', value: 'tier' }],
    entityType: 'MetadataIndex',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    means:
      'The idempotency key was used before, for another body or another operation. A repeated request must be equal ' +
      'to the first; a new one needs a new key.',
    detail: 'The idempotency key was used for a different request.',
  },
  TOO_MANY_REQUESTS: {
    means:
      'More is waiting than can be held, or reads have fallen behind. Try again after Retry-After seconds.',
    detail: 'Reads have fallen behind writes; try again shortly.',
  },
  UNAVAILABLE: {
    means:
      'A store does not answer or does not show the latest writes in time, or there is no memory for another large ' +
      'request, or no room for another connection. Try again after Retry-After seconds; a ' +
      'write that is repeated with its idempotency key is never done twice.',
    detail: 'A required store is not available.',
  },
  LIST_TOO_LARGE: {
    means:
      'One page took more than one read may take: too many records had to be looked at for it, or its records are too ' +
      'long together. Narrow the dates, leave filters out, have the metadata key indexed, or ask for fewer with limit. ' +
      'Lists with a cursor answer with what they have and a cursor to go on by.',
    detail: 'The records of this page are too long for one answer. Ask for fewer with limit.',
  },
  INTERNAL: {
    means:
      'An unexpected error occurred. The log has its cause under the request id; please report it.',
    detail: 'An unexpected error occurred. The request id is 0197f3a0-3333-7aaa-8bbb-000000000003.',
  },
};

export const platformCatalog = explained(platformRefusals, explanations);
