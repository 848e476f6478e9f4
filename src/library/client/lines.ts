import { ConnectionLost } from './problem.ts';

/** Yields the lines of a response as values, as they arrive. Errors: ConnectionLost; those of an aborted signal. */
export async function* linesOf<Line>(
  { body, url }: Response,
  signal?: AbortSignal,
): AsyncGenerator<Line, void, undefined> {
  if (body === null) return;
  // Not every browser can iterate over a stream.
  const reader = (body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        if (signal?.aborted === true) throw error;
        throw new ConnectionLost(`The lines of ${url} broke off.`, { cause: error });
      });
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as Line;
    }
    if (rest !== '') yield JSON.parse(rest) as Line;
  } finally {
    await reader.cancel().catch(() => undefined); // It has failed, or its consumer stopped early.
  }
}
