/** Ends a switch over a union: a missing case is a compile error, and a defect if it comes from data. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected case: ${JSON.stringify(value)}`);
}
