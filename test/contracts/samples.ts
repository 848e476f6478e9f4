import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Uuid } from '#src/kernel/ids.ts';
import type { EventStore, NewEvent, Position, StoredEvent } from '#src/ports/event-store.ts';

export const newUuid = (): Uuid => randomUUID() as Uuid;
export const newName = (): string => `contract-${randomUUID()}`;

/** An event with something to tell it by. */
export const happened = (what: unknown): NewEvent => ({
  id: newUuid(),
  type: 'Happened',
  data: JSON.stringify({ what }),
  metadata: JSON.stringify({ tenantId: 'default' }),
});

/** What `happened` was told. */
export const whatOf = ({ data }: NewEvent): unknown => (JSON.parse(data) as { what: unknown }).what;

/** All events after a position, page by page: only an empty page is the end. */
export async function readOn(
  store: Pick<EventStore, 'readAll'>,
  after: Position,
  pageSize = 100,
): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await store.readAll(all.at(-1)?.position ?? after, pageSize);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Data folders for the tests of one suite, removed after it. */
export function dataFolders(): () => string {
  const made: string[] = [];
  after(() => {
    for (const dir of made) rmSync(dir, { recursive: true, force: true });
  });
  return () => {
    const dir = mkdtempSync(join(tmpdir(), 'quipu-'));
    made.push(dir);
    return dir;
  };
}
