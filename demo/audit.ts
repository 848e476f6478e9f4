import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NotAsTold } from './not-as-told.ts';
import type { Paper } from './paper.ts';
import { fileOf } from './server.ts';

/** `quipu verify` over the journals of the server: every event, its hashes and its bookkeeping. Errors: NotAsTold. */
export async function audit(url: string, paper: Paper): Promise<void> {
  const verify = [fileOf('cli/main.ts'), 'verify', url];
  const { stdout } = await promisify(execFile)(process.execPath, verify).catch((error: unknown) => {
    const { stdout: said, stderr } = error as Readonly<{ stdout: string; stderr: string }>;
    throw new NotAsTold(`quipu verify says: ${said}${stderr}`);
  });
  paper.note(`$ npm run quipu -- verify ${url}`);
  for (const line of stdout.trimEnd().split('\n')) {
    if (line.startsWith('Sound')) paper.good(line);
    else paper.note(line);
  }
}
