import { PublishFailed } from '#src/ports/publisher.ts';

/** Waits for work, which goes on if it is late. Errors: PublishFailed, the reason of the signal, those of the work. */
export async function within<Result>(
  ms: number,
  work: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new PublishFailed('network_timeout', `No acknowledgement within ${ms} ms`));
  }, ms);
  const abort = (): void => {
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
