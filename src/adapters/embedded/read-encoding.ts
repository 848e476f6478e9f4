import { exactInstant } from '#src/kernel/instant.ts';
import type { KeyType, KeyValue } from '#src/ports/read-store.ts';
import { decodeKey, encodeKey, uuidFromHex } from './index-key.ts';
import type { Layout } from './read-layout.ts';

/*
 * How log-backed generations store their columns: a UUID as its bytes, an instant as its microseconds. Any other text
 * is stored as it is; SQLite keeps numbers, texts and bytes apart.
 */

export const encodeId = ({ logBacked }: Layout, id: string): string | Uint8Array =>
  logBacked ? encodeKey(id) : id;

export const decodeId = ({ logBacked }: Layout, stored: unknown): string =>
  logBacked ? decodeKey(stored as string | Uint8Array) : (stored as string);

/** Selects the id of a row for `idFromText`, because bytes would become an object with memory of its own in every row. */
export const idText = ({ logBacked }: Layout): string =>
  logBacked ? `iif(typeof(r.id) = 'blob', hex(r.id), '${NOT_BYTES}' || r.id)` : 'r.id';

export function idFromText({ logBacked }: Layout, selected: string): string {
  if (!logBacked) return selected;
  if (selected.startsWith(NOT_BYTES)) return decodeKey(selected.slice(NOT_BYTES.length));
  return uuidFromHex(selected);
}

const NOT_BYTES = '=';

/** Encodes the value of a key, fact or condition that is not interned. */
export const encodeValue = (
  { logBacked }: Layout,
  type: KeyType | undefined,
  value: KeyValue,
): KeyValue =>
  logBacked && type === 'instant' && typeof value === 'string' ? encodeInstant(value) : value;

/** Numbers sort before texts, as instants do before other texts that a filter may compare them with. */
const encodeInstant = (text: string): KeyValue => exactInstant(text) ?? text;
