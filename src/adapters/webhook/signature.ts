import { createHmac } from 'node:crypto';

/**
 * Signs a request as Standard Webhooks asks for (contract events §12.2): one signature per secret, so that a receiver
 * that knows any of them can verify it. `seconds` is the time of the attempt since the epoch.
 */
export function signaturesOf(
  id: string,
  seconds: number,
  body: Uint8Array,
  secrets: readonly string[],
): string {
  return secrets.map((secret) => `v1,${signature(`${id}.${seconds}.`, body, secret)}`).join(' ');
}

const signature = (start: string, body: Uint8Array, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(start)
    .update(body)
    .digest('base64');

const PREFIX = 'whsec_';
