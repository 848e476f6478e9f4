/**
 * Collects what is sent in one turn of the event loop and posts it as one message. By default a batch leaves before the
 * next callback runs; with `setImmediate`, after everything that has arrived on the sockets.
 */
export function batchPerTurn<Item>(
  post: (items: readonly Item[]) => void,
  atEnd: (flush: () => void) => unknown = (flush) => process.nextTick(flush),
): (item: Item) => void {
  let collected: Item[] = [];
  const flush = (): void => {
    const items = collected;
    collected = [];
    post(items);
  };
  return (item) => {
    if (collected.length === 0) atEnd(flush);
    collected.push(item);
  };
}
