import { tokenIn } from '#src/http/access-check.ts';
import { textOf } from '#src/http/body.ts';
import type { RequestClient } from '#src/http/request.ts';
import type { Form } from '#src/http/route.ts';
import { refuse } from '#src/kernel/errors.ts';
import { parseUuid, type Uuid } from '#src/kernel/ids.ts';
import { FORM_NAMES, formSchema } from '#src/resources/access/token.ts';

/** The client that a request names, in its body or by HTTP Basic. */
export type ClientCredentials = Readonly<{ clientId: string; clientSecret: string }>;

type SentClient = Readonly<{ clientId?: string; clientSecret?: string }>;

/**
 * Returns the client of a request; undefined if it names none. A client in the header counts, and one in the body beside it
 * must be the same (RFC 6749 §2.3).
 */
export function clientIn(
  { authorization }: RequestClient,
  { clientId, clientSecret = '' }: SentClient,
): ClientCredentials | undefined {
  const basic = basicIn(authorization);
  if (basic === undefined) return clientId === undefined ? undefined : { clientId, clientSecret };
  return clientId === undefined || clientId === basic.clientId ? basic : NO_CLIENT;
}

/** Reads HTTP Basic, whose name and password are encoded as a form encodes them. */
function basicIn(authorization = ''): ClientCredentials | undefined {
  const sent = /^basic +([\w+/=-]+) *$/i.exec(authorization)?.[1];
  if (sent === undefined) return undefined;
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(atob64(sent)) ?? [];
  return { clientId: formDecoded(id), clientSecret: formDecoded(secret) };
}

const atob64 = (text: string): string => Buffer.from(text, 'base64').toString();

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // Clients that do not encode may have a percent sign in a secret.
  }
}

/** No application has an empty client id. */
const NO_CLIENT: ClientCredentials = { clientId: '', clientSecret: '' };

/** Returns the session of the bearer token that the caller was admitted with; undefined if its issuer names none. */
export function sessionIn({ authorization = '' }: RequestClient): Uuid | undefined {
  const payload = tokenIn(authorization).split('.')[1] ?? '';
  try {
    const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid?: unknown };
    return typeof sid === 'string' ? parseUuid(sid) : undefined;
  } catch {
    return undefined;
  }
}

/** The form of a body, whose members have the names of OAuth. */
export const oauthForm = (body: Parameters<typeof formSchema>[0]): Record<string, Form> => ({
  'application/x-www-form-urlencoded': { schema: formSchema(body), read: readForm },
});

/** Reads a form. Errors: BODY_UNREADABLE for a parameter that is repeated, MALFORMED_FIELD for a NUL character. */
function readForm(bytes: Buffer): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const [sent, value] of new URLSearchParams(textOf(bytes))) {
    const name = FORM_NAMES[sent] ?? sent;
    const fault = found.has(name) ? 'BODY_UNREADABLE' : value.includes('\0') && 'MALFORMED_FIELD';
    if (fault !== false) {
      const message = fault === 'BODY_UNREADABLE' ? 'is repeated' : 'must not contain U+0000';
      throw refuse(fault, `A parameter of the form ${message}.`);
    }
    if (value !== '') found.set(name, value); // RFC 6749 §3.2: a parameter without a value counts as omitted.
  }
  return Object.fromEntries(found);
}
