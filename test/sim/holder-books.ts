import type { HolderRecord } from '#src/events/registry/holder.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { recordSecretName } from '#src/kernel/record-secret.ts';
import { openedPerson } from '#src/resources/registry/person.ts';
import type { HolderWish } from './holder-commands.ts';
import { assertThat, type Recorded } from './log-oracle.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** A holder as the log shows it, with the person that its requests described: the log has only what is sealed. */
export type BookedHolder = {
  readonly id: Uuid;
  readonly organizationId: Uuid;
  readonly document: string;
  name: string;
  is: 'live' | 'deleted' | 'erasing' | 'erased';
  record: HolderRecord;
};

/**
 * Keeps the holders, and throws when two live ones of an organization have the same document, when one changes after its
 * end, or when an erasure leaves something that tells who the person was.
 */
export class HolderBooks {
  readonly holders = new Map<string, BookedHolder>();
  readonly #asked = new Map<string, HolderWish>();
  /** Documents that a live holder had, with the last time of it; undefined while one has it. */
  readonly #taken = new Map<string, number | undefined>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  asked(requestId: string, wish: HolderWish): void {
    this.#asked.set(requestId, wish);
  }

  of(organizationId: string): readonly BookedHolder[] {
    return [...this.holders.values()].filter((one) => one.organizationId === organizationId);
  }

  /** Whether the refusal of a request is explained by holders that were there since it began. */
  explains(refusal: string, wish: HolderWish, sinceMs: number): boolean {
    if (refusal === 'UNAVAILABLE' || refusal === 'TOO_MANY_REQUESTS') return true;
    const key = keyOf(wish);
    if (refusal === 'DOCUMENT_TAKEN') {
      return this.#taken.has(key) && (this.#taken.get(key) ?? Infinity) >= sinceMs;
    }
    if (refusal !== 'HOLDER_NOT_FOUND') return false;
    if (wish.type !== 'create') return this.holders.get(wish.holderId)?.is !== 'live';
    return this.of(wish.organizationId).some(
      (one) => one.document === wish.document && (one.is === 'erasing' || one.is === 'erased'),
    );
  }

  take({ stored: { stream, type }, metadata, data }: Recorded): void {
    if (!stream.startsWith('registry-')) return;
    const wish = this.#asked.get(metadata.requestId);
    const record = data['holder'] as HolderRecord | undefined;
    switch (type) {
      case 'HolderCreated': {
        if (wish?.type !== 'create' || record === undefined)
          throw new Error(`${stream}: nobody asked`);
        const { organizationId, name, document } = wish;
        const key = keyOf(wish);
        const isTaken = this.#taken.has(key) && this.#taken.get(key) === undefined;
        assertThat(!isTaken, `${stream}: two live holders have the document ${document}`);
        this.#taken.set(key, undefined);
        const { id } = record;
        this.holders.set(id, { id, organizationId, name, document, is: 'live', record });
        break;
      }
      case 'HolderUpdated': {
        const holder = this.#live(stream, record?.id);
        holder.record = record!;
        holder.name = wish?.name ?? holder.name;
        break;
      }
      case 'HolderDeleted': {
        const holder = this.#live(stream, record?.id);
        holder.record = record!;
        this.#end(holder, 'deleted');
        break;
      }
      case 'HolderErasureBegun': {
        const { holderId } = data['erasure'] as { holderId: string };
        this.#end(this.#known(stream, holderId), 'erasing');
        break;
      }
      case 'HolderErased': {
        const holder = this.#known(stream, record?.id);
        assertThat(
          holder.is === 'erasing',
          `${stream}: ${holder.id} was erased while ${holder.is}`,
        );
        this.#end(holder, 'erased');
        break;
      }
      default: // The others are not about one holder, or prevent one.
    }
  }

  /** Once nothing is under way: the keys of the erased are destroyed, and those of the others open what they sealed. */
  async check({ secrets, tokens }: World, { keys }: Process): Promise<void> {
    const claimed = new Set(tokens.claims.values());
    for (const holder of this.holders.values()) {
      const { id, organizationId, is, name, document, record } = holder;
      const place = recordSecretName(organizationId, id);
      const key = await keys.open({ tenantId: 'default', organizationId, recordId: id });
      if (is === 'erased') {
        const left = key !== undefined || secrets.get(place) !== 'destroyed';
        assertThat(!left, `The key of the erased holder ${id} is not destroyed`);
        const found = tokens.tokens.has(place) || claimed.has(place);
        assertThat(!found, `The erased holder ${id} can be found by its document`);
        continue;
      }
      assertThat(key !== undefined, `The key of the ${is} holder ${id} is lost`);
      const person = openedPerson(key!, record.sealed);
      const isSame = person.name === name && person.document === document;
      assertThat(isSame, `The holder ${id} is ${JSON.stringify(person)}, not ${name} ${document}`);
      if (is === 'live') assertThat(claimed.has(place), `${id} does not hold its document`);
    }
  }

  get counts(): Readonly<Record<string, number>> {
    const all = [...this.holders.values()];
    const erased = all.filter(({ is }) => is === 'erased').length;
    return { holders: all.length, 'holders erased': erased };
  }

  #end(holder: BookedHolder, is: BookedHolder['is']): void {
    if (holder.is === 'live') this.#taken.set(keyOf(holder), this.#nowMs());
    holder.is = is;
  }

  #live(stream: string, id: string | undefined): BookedHolder {
    const holder = this.#known(stream, id);
    assertThat(holder.is === 'live', `${stream}: ${holder.id} was ${holder.is} and was changed`);
    return holder;
  }

  #known(stream: string, id = ''): BookedHolder {
    const holder = this.holders.get(id);
    if (holder === undefined) throw new Error(`${stream}: there is no holder ${id}`);
    return holder;
  }
}

const keyOf = ({ organizationId, document }: Pick<HolderWish, 'organizationId' | 'document'>) =>
  `${organizationId} ${document}`;
