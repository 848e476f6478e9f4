import type { Uuid } from '#src/kernel/ids.ts';
import { InstrumentStates, type KnownInstrument } from './instrument-states.ts';
import type { KnownRecord } from './known-record.ts';

export type KnownHolder = KnownRecord;

/** The state for decisions about the registry of an organization. */
export type Registry = {
  began: boolean;
  provisioned: boolean;
  readonly holders: Map<Uuid, KnownHolder>;
  readonly instruments: InstrumentStates;
  /** The ids of interrupted creations that may not be completed any more. */
  readonly revoked: Set<Uuid>;
};

export const emptyRegistry = (): Registry => ({
  began: false,
  provisioned: false,
  holders: new Map(),
  instruments: new InstrumentStates(),
  revoked: new Set(),
});

/** Converts a registry to texts of about 1 MiB at most. */
export function* registryToSnapshot(registry: Registry): Iterable<string> {
  const { began, provisioned, revoked } = registry;
  yield JSON.stringify({ began, provisioned, revoked: [...revoked] });
  yield* chunksOf('holders', registry.holders.values());
  yield* chunksOf('instruments', registry.instruments.all());
}

export function registryFromSnapshot([head = '', ...chunks]: Iterable<string>): Registry {
  const { began, provisioned, revoked } = JSON.parse(head) as RegistryHead;
  const registry = { ...emptyRegistry(), began, provisioned, revoked: new Set(revoked) };
  for (const chunk of chunks) {
    const { holders = [], instruments = [] } = JSON.parse(chunk) as RegistryChunk;
    for (const holder of holders) registry.holders.set(holder.id, holder);
    for (const instrument of instruments) registry.instruments.set(instrument);
  }
  return registry;
}

function* chunksOf(member: keyof RegistryChunk, records: Iterable<KnownRecord>): Iterable<string> {
  let chunk: KnownRecord[] = [];
  for (const record of records) {
    chunk.push(record);
    if (chunk.length < RECORDS_PER_CHUNK) continue;
    yield JSON.stringify({ [member]: chunk });
    chunk = [];
  }
  if (chunk.length > 0) yield JSON.stringify({ [member]: chunk });
}

type RegistryChunk = Readonly<{
  holders?: readonly KnownHolder[];
  instruments?: readonly KnownInstrument[];
}>;

type RegistryHead = Readonly<{ began: boolean; provisioned: boolean; revoked: readonly Uuid[] }>;

const RECORDS_PER_CHUNK = 4000;
