import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Server } from './product.ts';

type WrkRequest = Readonly<{ path: string; body: string }>;

/** Requests per second by wrk, which is written in C; undefined where it is not installed. */
export async function wrkRate(
  { port }: Server,
  { path, body }: WrkRequest,
  { connections, seconds }: Readonly<{ connections: number; seconds: number }>,
): Promise<number | undefined> {
  const script = join(tmpdir(), `quipu-bench-${String(process.pid)}.lua`);
  writeFileSync(script, lua(body));
  const args = ['-t1', `-c${String(connections)}`, `-d${String(seconds)}s`, '-s', script];
  try {
    const { stdout } = await run('wrk', [...args, `http://127.0.0.1:${String(port)}${path}`]);
    return Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    rmSync(script);
  }
}

const run = promisify(execFile);

const lua = (body: string): string => `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = [[${body}]]
`;
