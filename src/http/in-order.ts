import type { MemoryBudget } from './memory-budget.ts';

/** Counts the memory of items in progress and their results; no more are read while it is full. */
export type Weighing<Item> = Readonly<{
  memory: Pick<MemoryBudget, 'add' | 'release' | 'isFull'>;
  sizeOf: (item: Item) => number;
}>;

/**
 * Processes items as they arrive, at most `window` at a time, and yields the results in their order, several at once
 * when several are ready. It reads on only when there is room, so the sender waits for the work. A result is yielded as
 * soon as it is ready, whether or not more items come. Stops reading when its consumer stops.
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
  /** If full, some items are in progress here, so memory will be freed. */
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

/** An item in progress, or its result, with the bytes that are counted for it. */
type Slot = { text?: string; bytes: number };

/** The size of pieces in which results are yielded, small enough that most unread results are still counted here. */
const READY_CHARACTERS = 64 * 1024;
