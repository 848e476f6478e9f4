import type { Answer } from './connection.ts';

/**
 * A kind of request. The text is a pure function of the number, so that a repeat is byte for byte the same
 * and the check knows what to expect without remembering anything per request.
 */
export type Workload = Readonly<{
  /** The wanted answer. */
  status: number;
  /** Whether the check wants the body of this one, however long. */
  keep: (seq: number) => boolean;
  text: (seq: number) => string;
  /** What became of the items of a batch; left out: a request is one item. */
  count?: (answer: Answer) => Readonly<{ accepted: number; busy: number }>;
  /** What is wrong with the answer, if anything. */
  check: (seq: number, answer: Answer) => string | undefined;
}>;

/** One answer in so many is read as JSON and checked member by member; the others by text search. */
export const DEEP_EVERY = 64;
