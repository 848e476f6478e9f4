/**
 * Resolves with false when the process is asked to end: by SIGTERM or SIGINT, or because the npm that started it has
 * ended. Signals that follow are ignored: npm passes on the one that a terminal has sent to both already, and work
 * that was accepted is finished all the same.
 */
export function stopRequested(): Promise<false> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve(false);
    };
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
    if (process.env['npm_lifecycle_event'] !== undefined) watchParent(end);
  });
}

/** npm runs scripts in a shell, and most shells pass no signal on: all that is seen here is that the parent is gone. */
function watchParent(end: () => void): void {
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watching);
    end();
  }, LOOK_MS).unref();
}

const LOOK_MS = 250;
