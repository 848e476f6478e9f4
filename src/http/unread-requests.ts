/** An exchange, with its place in the list; -1 while it is not in it. */
type Listed = { unreadPlace: number };

/**
 * The exchanges whose request has not arrived completely.
 *
 * A Set would be simpler, but every few dozen requests it moves to a new table, and the old one refers to the new one
 * and to its entries. Once one table has grown old, the collector of young objects takes all later ones, and every
 * request in them, for live: measured, each request was copied twice before a full collection freed it.
 */
export class UnreadRequests<Exchange extends Listed> {
  readonly #exchanges: Exchange[] = [];

  add(exchange: Exchange): void {
    if (exchange.unreadPlace >= 0) return;
    exchange.unreadPlace = this.#exchanges.length;
    this.#exchanges.push(exchange);
  }

  /** The last exchange takes the place of the one that leaves. */
  delete(exchange: Exchange): void {
    const place = exchange.unreadPlace;
    if (place < 0) return;
    exchange.unreadPlace = -1;
    const last = this.#exchanges.pop()!;
    if (last === exchange) return;
    last.unreadPlace = place;
    this.#exchanges[place] = last;
  }

  /** From the last to the first, so that the current one may be deleted meanwhile. */
  *[Symbol.iterator](): Iterator<Exchange> {
    for (let place = this.#exchanges.length - 1; place >= 0; place -= 1) {
      yield this.#exchanges[place]!;
    }
  }
}
