/** Made when somebody asks: starting is to be quick, and most servers are never asked for some of it. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
