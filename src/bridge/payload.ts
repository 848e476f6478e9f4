/** A record that one journal event yields for one topic. */
export type Emission = Readonly<{
  /** The ce-subject attribute. */
  subject: string;
  /** Records with the same key stay in order. */
  recordKey: string;
  /** Distinguishes the emissions of one journal event that have the same event key. */
  part?: string;
  payload: Payload;
}>;

export type Payload = Readonly<Record<string, unknown>>;

/** The limit of contract events §2. */
export const PAYLOAD_BYTES_MAX = 1_048_576;
