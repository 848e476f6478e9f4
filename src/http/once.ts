/** Defers creation to the first use: a start must be quick, and most servers never need some of it. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
