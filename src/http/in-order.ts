import type { MemoryBudget } from './memory-budget.ts';

/** Counts the memory of items in progress and their results; no more are read while it is full. */
export type Weighing<Item> = Readonly<{
  memory: Pick<MemoryBudget, 'add' | 'release' | 'isFull'>;
  sizeOf: (item: Item) => number;
}>;

/**
 * Works on items as they come, at most `window` at a time, and returns the results in their order, several at once
 * when several are ready. Reads on only when there is room: who feeds it waits for the work. A result leaves when
 * it is there, whether or not more items come. Stops reading when nobody takes results any more.
 */
export async function* inOrder<Item>(
  items: AsyncIterable<Item>,
  work: (item: Item, index: number) => Promise<string>,
  window: number,
  weighing?: Weighing<Item>,
): AsyncGenerator<string, void, undefined> {
  const slots: Slot[] = [];
  let reading = true;
  let stopped = false;
  let fault: unknown;
  let changed = signal();

  const read = async (): Promise<void> => {
    let index = 0;
    for await (const item of items) {
      if (stopped) return;
      const slot: Slot = { bytes: 0 };
      slots.push(slot);
      weigh(slot, weighing?.sizeOf(item));
      void work(item, index).then((text) => {
        slot.text = text;
        if (!stopped) weigh(slot, text.length);
        changed.give();
      });
      index += 1;
      while (isFull() && !hasStopped()) await changed.next;
    }
  };
  const weigh = (slot: Slot, bytes = 0): void => {
    weighing?.memory.add(bytes - slot.bytes);
    slot.bytes = bytes;
  };
  /** Items of our own are on their way then, so that something changes. */
  const isFull = (): boolean =>
    slots.length >= window || (slots.length > 0 && weighing?.memory.isFull === true);
  const hasStopped = (): boolean => stopped;
  const done = read()
    .catch((error: unknown) => (fault = error))
    .finally(() => {
      reading = false;
      changed.give();
    });

  try {
    for (;;) {
      const { next } = changed;
      let ready = '';
      while (slots[0]?.text !== undefined && ready.length < READY_CHARACTERS) {
        ready += slots[0].text;
        weigh(slots[0]);
        slots.shift();
      }
      if (ready !== '') {
        changed.give();
        yield ready;
      } else if (slots.length === 0 && !isReading()) {
        break;
      } else {
        await next;
      }
    }
    await done;
    if (fault !== undefined) throw fault; // eslint-disable-line @typescript-eslint/only-throw-error -- as it came
  } finally {
    stopped = true;
    for (const slot of slots) weigh(slot);
    changed.give();
  }

  function isReading(): boolean {
    return reading;
  }
  function signal(): { next: Promise<void>; give: () => void } {
    let give = (): void => undefined;
    const next = new Promise<void>((resolve) => (give = resolve));
    return {
      next,
      give: () => {
        changed = signal();
        give();
      },
    };
  }
}

/** An item on its way, or its result, and what is counted for it. */
type Slot = { text?: string; bytes: number };

/** Results are handed on in pieces of about this size, so that most of those nobody takes are still counted here. */
const READY_CHARACTERS = 64 * 1024;
