import { registryServices } from '#commands/registry/processes/services.ts';
import {
  documentTaken,
  journalOfRegistry,
  type HolderStanding,
  type ProvisionedKeys,
  type RegistryCommand,
  type RegistryFact,
} from '#commands/registry/registry.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Outcome } from '#src/journal/batch.ts';
import { keyInUse } from '#src/journal/writer-refusals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { DataKey, FieldValue, ProtectedRecord, RecordKeys } from '#src/ports/record-keys.ts';

/** A kind of sealed record, as far as its creation differs from that of the others. */
export type SealedRecordKind<Creation extends SealedCreation> = Readonly<{
  /** The request as text; the same in both versions and on every mount. */
  text: string;
  /** Returns the data of the event that created such a record; undefined for other events. */
  creationIn: (event: RegistryEvent) => Creation | undefined;
  id: (creation: Creation) => Uuid;
  notFound: () => Refusal;
}>;

type SealedCreation = Readonly<{ requestHash: string }>;

export type CreatedRecord<Creation> = Readonly<{
  creation: Creation;
  key: DataKey;
  revision: number;
  replayed: boolean;
}>;

export type NewSealedRecord = Readonly<{
  /** The values by which the record is found. */
  values: readonly FieldValue[];
  /** Claims the first of these values, so that no other live record has it. */
  isClaimed?: true;
  command: (made: SealingKey) => RegistryCommand;
}>;

/** The key that seals a record, and the members that its creation carries. */
export type SealingKey = Readonly<{
  id: Uuid;
  key: DataKey;
  requestHash: string;
  /** The keys that serve the organization, unless its journal has them. */
  keys: ProvisionedKeys | undefined;
  requestId: string;
}>;

/**
 * Creates a record with a key of its own. The key, and the claim to a value, are durable before the event. A claim whose
 * record never came to be, because its creation was interrupted, is taken over once the journal has revoked that record:
 * the journal alone decides which of two creations happens. Errors of all steps: Refusal, Unavailable.
 */
export class RecordCreation<Creation extends SealedCreation> {
  readonly #request: Request;
  readonly #services: Services;
  readonly #kind: SealedRecordKind<Creation>;
  readonly #organizationId: Uuid;
  readonly #keys: RecordKeys;

  constructor(
    request: Request<Readonly<{ organization_id: Uuid }>>,
    services: Services,
    kind: SealedRecordKind<Creation>,
  ) {
    this.#request = request;
    this.#services = services;
    this.#kind = kind;
    this.#organizationId = request.path.organization_id;
    this.#keys = registryServices(services.components).keys;
  }

  /** Returns the result of an earlier request with the same key. Errors: as #replay. */
  async earlier(): Promise<CreatedRecord<Creation> | undefined> {
    if (this.#request.idempotency === undefined) return undefined;
    const outcome = await this.#submit({ type: 'FindCreation' }, { keyedHash: '' });
    return outcome.replayed ? this.#replay(outcome) : undefined;
  }

  async create({ values, isClaimed, command }: NewSealedRecord): Promise<CreatedRecord<Creation>> {
    const { ids } = this.#services;
    const provisioned = await this.#provisioned();
    const tokens = await this.#keys.tokens(this.#scope(), values);
    const [claimed = ''] = tokens;

    let expected: Uuid | undefined;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const record = { ...this.#scope(), recordId: ids.next() };
      const claim = { token: claimed, ...(expected !== undefined && { expected }) };
      const claims = isClaimed === true ? [claim] : [];
      const made = await this.#keys.create(record, { tokens, claims });
      if (made.taken !== undefined) {
        const replay = await this.#release(made.taken.recordId);
        if (replay !== undefined) return replay;
        expected = made.taken.recordId;
        continue;
      }
      const created = await this.#append(record, made.key, provisioned, command);
      if (created !== undefined) return created;
      expected = undefined;
    }
    const detail = 'The document is being registered by others; try again shortly.';
    throw refuse('UNAVAILABLE', detail, { retryAfterSeconds: 1 });
  }

  /** Undefined if the creation was revoked in favor of another one. */
  async #append(
    record: ProtectedRecord,
    key: DataKey,
    keys: ProvisionedKeys | undefined,
    commandOf: NewSealedRecord['command'],
  ): Promise<CreatedRecord<Creation> | undefined> {
    const requestHash = key.seal(REQUEST_HASH, key.fingerprint(this.#kind.text));
    const { requestId } = this.#request.context;
    const command = commandOf({ id: record.recordId, key, requestHash, keys, requestId });
    try {
      const outcome = await this.#submit(command, { keyedHash: requestHash });
      if (!outcome.replayed) return this.#created(outcome, key);
      await this.#keys.destroy(record);
      return await this.#replay(outcome);
    } catch (error) {
      // After any other error the event may be in the log.
      if (!(error instanceof Refusal)) throw error;
      await this.#keys.destroy(record);
      if (error.refusal === 'RECORD_REVOKED') return undefined;
      throw error;
    }
  }

  /**
   * Requires that the holder with the claim can never be live again. A creation under way gets a second to finish.
   * Returns the result of this very request if that was the creation. Errors: DOCUMENT_TAKEN.
   */
  async #release(id: Uuid): Promise<CreatedRecord<Creation> | undefined> {
    const steps = this.#services.commands.steps(this.#request);
    for (const ms of WAITS_MS) {
      if ((await this.#standingOf(id)) !== 'absent') break;
      await steps.sleep(ms);
    }
    const repeated = await this.#repeated(id);
    if (repeated !== undefined) return repeated;
    const organizationId = this.#organizationId;
    try {
      await this.#submit({ type: 'RevokeHolder', organizationId, id });
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal) || error.refusal !== 'DOCUMENT_TAKEN') throw error;
      const earlier = await this.earlier();
      if (earlier !== undefined) return earlier;
      throw documentTaken();
    }
  }

  /**
   * Returns the creation of the record with the claim, if an equal request without a key made it and such requests count
   * as retries for a while. No hash of a person in the log is needed for that: equal requests claim equal values.
   */
  async #repeated(id: Uuid): Promise<CreatedRecord<Creation> | undefined> {
    const { bodyHashSeconds: withinSeconds } = this.#services.commands;
    if (withinSeconds === 0 || this.#request.idempotency !== undefined) return undefined;
    if (!READABLE.includes(await this.#standingOf(id))) return undefined;
    const outcome = await this.#submit({ type: 'ReadCreation', id, withinSeconds });
    const [event] = outcome.events;
    const creation = event && this.#kind.creationIn(event);
    if (event === undefined || creation === undefined) return undefined;
    const key = await this.#keys.open({ ...this.#scope(), recordId: id });
    if (key === undefined || !this.#isEqual(key, creation)) return undefined;
    if (await this.#isKeyed(event.revision)) return undefined;
    return this.#created({ ...outcome, replayed: true }, key);
  }

  /** The key of a creation is with the first of its events, which may have set up the protection. */
  async #isKeyed(creation: Revision): Promise<boolean> {
    const { name } = journalOfRegistry(this.#organizationId);
    const events = await this.#services.log.read(name, Math.max(0, creation - 1), 2);
    return events.some(({ revision, metadata }) => {
      const { idempotencyKey, keyedEvents = 1 } = JSON.parse(metadata) as EventMetadata;
      const covers = revision <= creation && creation < revision + keyedEvents;
      return idempotencyKey !== undefined && covers;
    });
  }

  /** Errors: that of an absent record if it was erased since; IDEMPOTENCY_KEY_IN_USE if the key was another request's. */
  async #replay(outcome: Outcome<RegistryEvent>): Promise<CreatedRecord<Creation>> {
    const creation = this.#creationIn(outcome);
    if (creation === undefined) throw keyInUse();
    const recordId = this.#kind.id(creation);
    const key = await this.#keys.open({ ...this.#scope(), recordId });
    if (key === undefined) throw this.#kind.notFound();
    if (!this.#isEqual(key, creation)) throw keyInUse();
    return this.#created(outcome, key);
  }

  #isEqual(key: DataKey, { requestHash }: Creation): boolean {
    return key.open(REQUEST_HASH, requestHash) === key.fingerprint(this.#kind.text);
  }

  #created(outcome: Outcome<RegistryEvent>, key: DataKey): CreatedRecord<Creation> {
    const creation = this.#creationIn(outcome);
    if (creation === undefined) throw new Error('A creation has its event');
    const { revision, replayed } = outcome;
    return { creation, key, revision, replayed };
  }

  #creationIn({ events }: Outcome<RegistryEvent>): Creation | undefined {
    for (const event of events) {
      const creation = this.#kind.creationIn(event);
      if (creation !== undefined) return creation;
    }
    return undefined;
  }

  /** Returns the keys that serve the organization, unless its journal has them. */
  async #provisioned(): Promise<ProvisionedKeys | undefined> {
    const registry = await this.#fact();
    return registry?.provisioned === true ? undefined : this.#keys.provision(this.#scope());
  }

  async #standingOf(id: Uuid): Promise<HolderStanding> {
    return (await this.#fact())?.standingOf(id) ?? 'absent';
  }

  async #fact(): Promise<RegistryFact | undefined> {
    const { name } = journalOfRegistry(this.#organizationId);
    return (await this.#services.commands.fact(this.#request, name)) as RegistryFact | undefined;
  }

  #submit(
    command: RegistryCommand,
    how?: Readonly<{ keyedHash: string }>,
  ): Promise<Outcome<RegistryEvent>> {
    const journal = journalOfRegistry(this.#organizationId);
    return this.#services.commands.submit(this.#request, journal, command, how);
  }

  #scope() {
    return { tenantId: this.#request.context.tenantId, organizationId: this.#organizationId };
  }
}

/** The hash of a request is sealed like a field of the record. */
const REQUEST_HASH = 'requestHash';

/** Each round ends with the creation of this record or of another one. */
const ROUNDS_MAX = 10;
const READABLE: readonly HolderStanding[] = ['live', 'closing', 'deleted'];
const WAITS_MS = [5, 10, 25, 50, 100, 200, 300, 300] as const;
