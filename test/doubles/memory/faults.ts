/**
 * What befalls one append:
 * - `ok`: it is decided by its expected revision.
 * - `refused`: Unavailable, nothing written.
 * - `lost`: Ambiguous, nothing written.
 * - `unanswered`: Ambiguous, yet written if its expected revision fits.
 * - `conflict`: WrongExpectedRevision although nothing stood in its way.
 * - `lateMs`: Ambiguous at once, and written this much later if its expected revision fits then.
 */
export type AppendFate =
  'ok' | 'refused' | 'lost' | 'unanswered' | 'conflict' | Readonly<{ lateMs: number }>;

/**
 * Decides what goes wrong in the adapters of this folder, operation by operation. The simulator draws from
 * its seed; a test says what it wants. What is left out goes right.
 */
export type Faults = Readonly<{
  append?: (stream: string) => AppendFate;
  /** Whether a read of the log fails with Unavailable. */
  readFails?: (stream: string | undefined) => boolean;
  /** Whether what a client had under way when it crashed is written all the same. */
  landsAfterCrash?: (stream: string) => boolean;
  /** Whether a look-up in the journal index, or a batch for it, fails with Unavailable. */
  indexFails?: (operation: 'read' | 'apply') => boolean;
  /** `torn`: the save reports success, but what it wrote is not whole. */
  save?: (journal: string) => 'ok' | 'refused' | 'torn';
  loadFails?: (journal: string) => boolean;
}>;

export const NO_FAULTS: Faults = {};
