import type { Sequence } from '#queries/paging.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { PageRequest } from '#src/http/request.ts';

export const includeDeleted = {
  type: 'string',
  description: '`true` shows deleted records too; any other value does not',
} as const;

export const isTrue = (value: string | undefined): boolean => value?.toLowerCase() === 'true';

/**
 * Renders the rows of each page, whose readers have no keys to open them. Rows without a text, such as those of records
 * that are being erased, are left out.
 */
export const opened = (
  sequence: Sequence,
  textOf: (row: object) => Promise<string | undefined>,
): Sequence => ({
  ...sequence,
  async page(stretch) {
    const page = await sequence.page(stretch);
    const rows = JSON.parse(`[${asText(page.items)}]`) as readonly object[];
    const texts = await Promise.all(rows.map((row) => textOf(row)));
    return { ...page, items: texts.filter((text) => text !== undefined).join() };
  },
});

/** Errors: METADATA_FILTERS, METADATA_FILTER_KEY, METADATA_FILTER_OPERATOR. */
export function mustBeSearchable({ metadata: [first, ...others] }: PageRequest): void {
  const wrong = (name: Parameters<typeof refuse>[0], key: string, message: string) =>
    refuse(name, `metadata.${key} ${message}.`, {
      findings: [{ location: `query.metadata.${key}`, message }],
    });
  if (first === undefined) return;
  const { key, value } = first;
  if (others.length > 0) {
    throw wrong('METADATA_FILTERS', others[0]?.key ?? '', 'is a second filter: only one is taken');
  }
  if (!/^[^$.][^.]{0,99}$/u.test(key)) {
    throw wrong('METADATA_FILTER_KEY', key, 'must be a key of at most 100 characters, without $');
  }
  if (value.startsWith('$')) {
    throw wrong('METADATA_FILTER_OPERATOR', key, 'must be a value and not an operator');
  }
}

const asText = (items: string | Uint8Array): string =>
  typeof items === 'string' ? items : Buffer.from(items).toString();
