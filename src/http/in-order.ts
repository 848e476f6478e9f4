/**
 * Works on items as they come, at most `window` at a time, and answers the results in their order, several at once
 * when several are ready. Reads on only when there is room: who feeds it waits for the work. A result leaves when
 * it is there, whether or not more items come. Stops reading when nobody takes results any more.
 */
export async function* inOrder<Item>(
  items: AsyncIterable<Item>,
  work: (item: Item, index: number) => Promise<string>,
  window: number,
): AsyncGenerator<string, void, undefined> {
  const slots: { text?: string }[] = [];
  let reading = true;
  let stopped = false;
  let fault: unknown;
  let changed = signal();

  const read = async (): Promise<void> => {
    let index = 0;
    for await (const item of items) {
      if (stopped) return;
      const slot: { text?: string } = {};
      slots.push(slot);
      void work(item, index).then((text) => {
        slot.text = text;
        changed.give();
      });
      index += 1;
      while (slots.length >= window && !hasStopped()) await changed.next;
    }
  };
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
      while (slots[0]?.text !== undefined) ready += slots.shift()?.text ?? '';
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
