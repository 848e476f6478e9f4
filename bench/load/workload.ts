import type { Answer } from './connection.ts';

/**
 * A kind of request. The text is a pure function of the number, so that a repeat is byte for byte the same
 * and the check knows what to expect without remembering anything per request.
 */
export type Workload = Readonly<{
  /** The wanted answer. */
  status: number;
  /** Returns whether the check reads this response; of the others only status and length are read. */
  keep: (seq: number) => boolean;
  text: (seq: number) => string;
  /** What became of the items of a batch; left out: a request is one item. */
  count?: (answer: Answer) => Readonly<{ accepted: number; busy: number }>;
  /** What is wrong with the answer, if anything. */
  check: (seq: number, answer: Answer) => string | undefined;
}>;

/**
 * One response in 64 is kept and checked member by member. The others would cost the generator more than sending the
 * requests; the audit finds each of their transactions in the list.
 */
export const isKept = (seq: number): boolean => seq % KEPT_EVERY === 0;
const KEPT_EVERY = 64;
