/** The examples of an operation: those of its request under `request`, those of each success under its status. */
export type OperationExamples = Readonly<Record<string, ExampleBodies>>;

/** An example for each media type of a body. For lines it is one line, because the schema describes one. */
export type ExampleBodies = Readonly<Record<string, unknown>>;

/** Examples by operation. Text names another operation with the same examples. */
export type StoredExamples = Readonly<Record<string, OperationExamples | string>>;

export const REQUEST = 'request';

/** Finds the examples of an operation. */
export function examplesOf(stored: StoredExamples, operationId: string): OperationExamples {
  const found = stored[operationId] ?? {};
  return typeof found === 'string' ? examplesOf(stored, found) : found;
}
