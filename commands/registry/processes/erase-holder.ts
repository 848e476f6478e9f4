import { journalOfRegistry } from '#commands/registry/registry.ts';
import { holderErasure } from '#src/events/registry/indexed.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Process } from '#src/journal/process.ts';
import type { Submit } from '#src/journal/steps.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import type { ProtectedRecord, RecordKeys } from '#src/ports/record-keys.ts';
import { finishInstrumentErasure } from './erase-instrument.ts';
import { registryServices } from './services.ts';

type ErasureBegun = Extract<RegistryEvent, { type: 'HolderErasureBegun' }>;

/** Finishes erasures that were interrupted, because their keys must not survive. */
export const holderErasureProcess: Process<ErasureBegun> = {
  open: holderErasure,
  abandonedAfterMs: 15_000,
  async resume({ submit, tenantId }, { journal, event }, components) {
    const record = {
      tenantId,
      organizationId: ownerOf(journal),
      recordId: event.data.erasure.holderId,
    };
    await finishErasure(submit, registryServices(components).keys, record);
  },
};

/**
 * Erases the instruments of a holder whose erasure has begun, one after the other; then destroys the key of the holder
 * and records it. No instrument can be added meanwhile. Errors: Refusal, Unavailable.
 */
export async function finishErasure(
  submit: Submit,
  keys: Pick<RecordKeys, 'destroy'>,
  record: ProtectedRecord,
): Promise<Revision> {
  const { tenantId, organizationId, recordId: id } = record;
  const journal = journalOfRegistry(organizationId);
  const next = { type: 'BeginNextErasure', organizationId, holderId: id } as const;
  for (;;) {
    const [begun] = (await submit(journal, next)).events;
    if (begun?.type !== 'InstrumentErasureBegun') break;
    const recordId = begun.data.erasure.instrumentId;
    await finishInstrumentErasure(submit, keys, { tenantId, organizationId, recordId });
  }
  await keys.destroy(record);
  return (await submit(journal, { type: 'CompleteErasure', organizationId, id })).revision;
}
