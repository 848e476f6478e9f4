import { AsyncLocalStorage } from 'node:async_hooks';
import { serve } from '#src/cli/serve.ts';

/*
 * Runs the server many times in one process, one run after another, because most of what a start costs is Node and
 * the modules. A run is `serve` as src/main.ts calls it; what would end the process ends the run instead.
 */

export type HostRequest = Readonly<{ run: number; dataDir: string } | { stop: number }>;
export type HostReport = Readonly<{ run: number; code: number | string | null | undefined }>;

const running = new AsyncLocalStorage<number>();
const exit = process.exit.bind(process);
let current = -1;

const ended = (report: HostReport): void => {
  if (report.run !== current) return; // A timer of an earlier run, which a process of its own would not have heard.
  current = -1;
  process.send?.(report);
};

process.exit = (code) => {
  ended({ run: running.getStore() ?? current, code });
  return undefined as never;
};

process.on('message', (request: HostRequest) => {
  if ('stop' in request) {
    if (request.stop === current) process.emit('SIGTERM', 'SIGTERM');
    return;
  }
  const { run, dataDir } = request;
  current = run;
  process.env['DATA_DIR'] = dataDir;
  process.env['PORT'] = '0';
  running.run(run, () => {
    serve().then(
      (code) => ended({ run, code }),
      (error: unknown) => {
        console.error(error);
        ended({ run, code: 1 }); // As Node ends a program that threw.
      },
    );
  });
});
process.on('disconnect', () => exit(0));
