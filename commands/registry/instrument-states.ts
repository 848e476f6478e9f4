import type { Uuid } from '#src/kernel/ids.ts';
import type { KnownRecord } from './known-record.ts';

/** An instrument as far as decisions need to know it. */
export type KnownInstrument = KnownRecord & Readonly<{ holderId: Uuid; accountId: Uuid }>;

/** The instruments of a registry that are not erased; at most one live one for each account. */
export class InstrumentStates {
  readonly #byId = new Map<Uuid, KnownInstrument>();
  readonly #liveByAccount = new Map<Uuid, Uuid>();
  readonly #byHolder = new Map<Uuid, Set<Uuid>>();

  get(id: Uuid): KnownInstrument | undefined {
    return this.#byId.get(id);
  }

  /** Returns the live instrument of an account. */
  ofAccount(accountId: Uuid): Uuid | undefined {
    return this.#liveByAccount.get(accountId);
  }

  *ofHolder(holderId: Uuid): Iterable<KnownInstrument> {
    for (const id of this.#byHolder.get(holderId) ?? []) yield this.#byId.get(id)!;
  }

  all(): Iterable<KnownInstrument> {
    return this.#byId.values();
  }

  set(instrument: KnownInstrument): void {
    const { id, holderId, accountId, is } = instrument;
    this.#byId.set(id, instrument);
    if (is === 'live') this.#liveByAccount.set(accountId, id);
    else if (this.#liveByAccount.get(accountId) === id) this.#liveByAccount.delete(accountId);
    const others = this.#byHolder.get(holderId);
    if (others === undefined) this.#byHolder.set(holderId, new Set([id]));
    else others.add(id);
  }

  delete(id: Uuid): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    const { holderId, accountId } = known;
    this.#byId.delete(id);
    if (this.#liveByAccount.get(accountId) === id) this.#liveByAccount.delete(accountId);
    const others = this.#byHolder.get(holderId);
    others?.delete(id);
    if (others?.size === 0) this.#byHolder.delete(holderId);
  }
}
