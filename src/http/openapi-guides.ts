/** The guides of the API description, in Markdown: what holds for every operation and stands in none of them. */
export const guides = `## Authentication

With access management on, send \`Authorization: Bearer <token>\`; every operation names the permission it needs in
\`x-permission\`. You get a token from \`POST /v1/login/oauth/access_token\`. Without a valid token the response is 401, without
the permission 403. With access management off, the header is optional.

## Idempotency

Creations that must not happen twice take \`X-Idempotency\` (or \`Idempotency-Key\`): 1 to 1024 visible ASCII characters that you
choose, such as a UUID. Send the same key with every retry of a request: the first one that succeeds is carried out, and the
others get its response, marked \`X-Idempotency-Replayed: true\`. The same key with another request is refused with 409. A key
does not expire unless \`X-TTL\` gives its life in seconds. A refused request does not use up its key.

## Amounts

Amounts are decimal texts in responses, such as \`"1250.75"\`, in units of their asset; never read them into a binary float. In
requests a text or a JSON number is accepted, with at most 30 digits on either side of the point.

## Pagination

A list has \`items\` and \`limit\`. Lists by page take \`page\`, from 1, and end with a page that has fewer than \`limit\` items. Lists by
cursor return \`next_cursor\` and \`prev_cursor\`: send one as \`cursor\`, with the same filters, for the next or the previous page; the
list ends where a response has no \`next_cursor\`. \`limit\` is 10 unless you send it. Records are in order of creation, and
\`sort_order=desc\` reverses it.

## Consistency

A success is sent once the change is durable. Reads come from read models that follow within milliseconds. To read your own
write in any case, send its \`X-Consistency-Token\` with the read: the response then shows at least that write, or is 503 after
two seconds.

## Errors and retries

Errors are \`application/problem+json\` documents (RFC 9457). Decide by \`code\`, which never changes, and show \`detail\` to people;
\`errors\` names every member that is wrong. \`/docs/errors/{code}\` explains each code. Repeat a request after 429 and 503, not
before the seconds in \`Retry-After\`, and after a lost connection: reads, updates and deletions as they are, creations with
their key. Other 4xx responses stay the same until the request or the state changes.

## Versions

The path has the major version. Versions 1 and 2 address the same records, so you can mix them; operations of version 2 have
ids that end in \`V2\`. New operations, members of responses and codes may appear within a version: ignore what you do not know.
Requests with unknown members are refused.`;
