/** Writes lines in batches, because a system call for each costs more than the line. */
export type LineWriter = Readonly<{
  /** Takes a line with its line feed, and drops it if the reader is too far behind. */
  write: (line: string) => void;
  /** Hands over the lines that wait for a batch. */
  flush: () => void;
  /** Resolves when the reader has all lines, at the latest after a while. */
  drained: () => Promise<void>;
}>;

/** A stream that queues what its reader has not taken, as process.stderr does with a pipe. */
type LineSink = Pick<NodeJS.WriteStream, 'write' | 'writableLength' | 'once' | 'off'>;

type LineWriterOptions = Readonly<{
  /** Returns the line that replaces the dropped ones. */
  onDropped: (lines: number) => string;
}>;

/**
 * Creates a writer that never waits: the memory for lines that nobody reads is bounded, and a reader that has stopped holds
 * up neither requests nor the end of the process.
 */
export function createLineWriter(sink: LineSink, { onDropped }: LineWriterOptions): LineWriter {
  let batch = '';
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (batch === '') return;
    const text = batch;
    batch = '';
    sink.write(text);
  };
  return {
    write(line) {
      if (sink.writableLength > QUEUED_MAX) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        batch += onDropped(dropped);
        dropped = 0;
      }
      batch += line;
      if (batch.length >= BATCH_LENGTH) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
    flush,
    async drained() {
      flush();
      if (sink.writableLength === 0) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(deadline);
          sink.off('drain', done);
          resolve();
        };
        const deadline = setTimeout(done, DRAIN_MS_MAX);
        sink.once('drain', done);
      });
    },
  };
}

const BATCH_LENGTH = 16 * 1024;
const BATCH_MS = 50;
/** In bytes, of lines that the reader has not taken. */
const QUEUED_MAX = 1024 * 1024;
const DRAIN_MS_MAX = 500;
