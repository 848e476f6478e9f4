import { journalOfRegistry } from '#commands/registry/registry.ts';
import { instrumentErasure } from '#src/events/registry/indexed.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Process } from '#src/journal/process.ts';
import type { Submit } from '#src/journal/steps.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import type { ProtectedRecord, RecordKeys } from '#src/ports/record-keys.ts';
import { registryServices } from './services.ts';

type ErasureBegunOfInstrument = Extract<RegistryEvent, { type: 'InstrumentErasureBegun' }>;

/** Finishes erasures of instruments as holderErasureProcess does. */
export const instrumentErasureProcess: Process<ErasureBegunOfInstrument> = {
  open: instrumentErasure,
  abandonedAfterMs: 15_000,
  async resume({ submit, tenantId }, { journal, event }, components) {
    const record = {
      tenantId,
      organizationId: ownerOf(journal),
      recordId: event.data.erasure.instrumentId,
    };
    await finishInstrumentErasure(submit, registryServices(components).keys, record);
  },
};

/** Destroys the key of an instrument whose erasure has begun, and records it. Errors: Refusal, Unavailable. */
export async function finishInstrumentErasure(
  submit: Submit,
  keys: Pick<RecordKeys, 'destroy'>,
  record: ProtectedRecord,
): Promise<Revision> {
  await keys.destroy(record);
  const { organizationId, recordId: id } = record;
  const command = { type: 'CompleteInstrumentErasure', organizationId, id } as const;
  return (await submit(journalOfRegistry(organizationId), command)).revision;
}
