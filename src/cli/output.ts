import { once } from 'node:events';

/** Results go to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Everything else goes to stderr. */
export function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Writes no faster than whoever reads stdout. */
export async function pipe(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** `1 journal`, `2 journals` */
export const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

export type Progress = Readonly<{
  /** So much is done. Cheap: to be called for every slice of work. */
  at: (done: number, of?: number) => void;
  end: () => void;
}>;

/** Says how far long work has come: at once and in one line on a terminal, else every few seconds. */
export function progressOf(what: string): Progress {
  const terminal = process.stderr.isTTY;
  const everyMs = terminal ? TERMINAL_MS : ELSEWHERE_MS;
  let saidMs = performance.now();
  let shown = false;
  return {
    at(done, of) {
      const nowMs = performance.now();
      if (nowMs - saidMs < everyMs) return;
      saidMs = nowMs;
      const share = of === undefined || of === 0 ? '' : ` of ${of}`;
      const text = `${what}: ${done}${share}`;
      process.stderr.write(terminal ? `\r${text}\u001b[K` : `${text}\n`);
      shown = true;
    },
    end() {
      if (shown && terminal) process.stderr.write('\r\u001b[K');
    },
  };
}

const TERMINAL_MS = 200;
const ELSEWHERE_MS = 3000;
