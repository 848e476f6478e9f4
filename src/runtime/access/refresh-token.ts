import { hash } from 'node:crypto';
import type { RandomBytes } from '#src/ports/random-bytes.ts';

/**
 * A refresh token: the subject and the session find the stored family, `family` proves that its owner once had a token
 * of it, and `secret` says which one.
 */
export type RefreshToken = Readonly<{
  subject: string;
  session: string;
  family: string;
  secret: string;
}>;

export const newFamily = (randomBytes: RandomBytes): string => encoded(randomBytes(FAMILY_BYTES));
export const newSecret = (randomBytes: RandomBytes): string => encoded(randomBytes(SECRET_BYTES));

export const formatRefreshToken = ({ subject, session, family, secret }: RefreshToken): string =>
  [encoded(Buffer.from(subject)), session, family, secret].join('.');

/** Returns the parts of a refresh token; undefined for another text. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const parts = text.length > TOKEN_MAX ? null : TOKEN.exec(text);
  if (parts === null) return undefined;
  const [, subject = '', session = '', family = '', secret = ''] = parts;
  return { subject: Buffer.from(subject, 'base64url').toString(), session, family, secret };
}

export const hashOf = (text: string): string => hash('sha256', text, 'base64url');

const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const TOKEN = /^([\w-]{1,400})\.([0-9a-f-]{36})\.([\w-]{22})\.([\w-]{43})$/;
const FAMILY_BYTES = 16;
const SECRET_BYTES = 32;
const TOKEN_MAX = 512;
