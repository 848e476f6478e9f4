import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NotAsTold } from './not-as-told.ts';

export type BankServer = Readonly<{
  url: string;
  /** Resolves when the process ends, for any reason. */
  ended: Promise<unknown>;
  stop: () => Promise<void>;
}>;

/** The server as `npm start` runs it, on PORT or any free port. Errors: NotAsTold when it does not come up. */
export async function startBank(dataDir: string): Promise<BankServer> {
  const port = process.env['PORT'] ?? '';
  const child = spawn(process.execPath, ['--import', fileOf('preload.js'), fileOf('main.ts')], {
    cwd: dataDir, // An .env file of the reader's is for another server.
    env: {
      LOG_LEVEL: 'warn', // The story is read between the lines of the log.
      ...process.env,
      ...{ HOST: '127.0.0.1', PORT: port === '' ? '0' : port, DATA_DIR: dataDir },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = await Promise.race([readyUrl(child), ended.then(() => undefined)]);
  if (url === undefined) throw new NotAsTold('The server did not start; what it said is above.');
  return {
    url,
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A program of the product. */
export const fileOf = (name: string): string => join(import.meta.dirname, '..', 'src', name);

async function readyUrl({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface(stdout)) {
    const [url] = /http:\/\/[^\s,]+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** Used by this run alone, so that no other data is touched. */
export function demoFolder(): Readonly<{ path: string; remove: () => void }> {
  const path = mkdtempSync(join(tmpdir(), 'quipu-demo-'));
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
