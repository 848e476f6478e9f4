import type { IndexedEvents, OpenProcessOf } from '#src/kernel/index-table.ts';
import type { RegistryEvent } from './registry.ts';

/** An erasure is open until the key was destroyed. */
export const holderErasure = {
  begins: { HolderErasureBegun: ({ erasure }) => erasure.holderId },
  ends: { HolderErased: ({ holder }) => ({ key: holder.id }) },
} satisfies OpenProcessOf<RegistryEvent>;

export const instrumentErasure = {
  begins: { InstrumentErasureBegun: ({ erasure }) => erasure.instrumentId },
  ends: { InstrumentErased: ({ instrument }) => ({ key: instrument.id }) },
} satisfies OpenProcessOf<RegistryEvent>;

/** A closing ends with its holder, or is undone. The beginning of an erasure takes its place in the index. */
export const holderClosing = {
  begins: { HolderClosingBegun: ({ closing }) => closing.holderId },
  ends: {
    HolderDeleted: ({ holder }) => ({ key: holder.id }),
    HolderClosingUndone: ({ holderId }) => ({ key: holderId }),
  },
} satisfies OpenProcessOf<RegistryEvent>;

export const indexed: IndexedEvents = {
  names: {},
  processes: [holderErasure, holderClosing, instrumentErasure],
};
