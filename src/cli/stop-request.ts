/**
 * Resolves with false when the process is asked to end: by SIGTERM or SIGINT, or because the npm that started it has
 * ended. Later signals are ignored: npm passes on the one that a terminal has already sent to both, and accepted work
 * is finished in any case.
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

/** Checks whether the parent has ended: npm runs scripts in a shell, and most shells do not pass on signals. */
function watchParent(end: () => void): void {
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watching);
    end();
  }, LOOK_MS).unref();
}

const LOOK_MS = 250;
