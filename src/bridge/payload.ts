import type { Uuid } from '#src/kernel/ids.ts';

/** What one journal event yields for one topic. */
export type Emission = Readonly<{
  /** ce-subject. */
  subject: string;
  /** Records with the same one are kept in order. */
  recordKey: string;
  /** Tells the emissions of one journal event apart that have the same event key. */
  part?: Uuid;
  payload: Payload;
}>;

export type Payload = Readonly<Record<string, unknown>>;

/** Contract events §2. */
export const PAYLOAD_BYTES_MAX = 1_048_576;
