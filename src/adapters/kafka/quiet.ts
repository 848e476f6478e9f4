/**
 * The driver sets a timer to a moment in the past after every answer; Node warns of it, once in a process. That
 * warning is taken out when the driver caused it; all others go their way.
 */
export function silenceNegativeTimeouts(): void {
  if (silenced) return;
  silenced = true;
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    const ours = args[1] === 'TimeoutNegativeWarning' && (new Error().stack ?? '').includes(DRIVER);
    if (!ours) emit(...args);
  };
}

let silenced = false;
const DRIVER = 'kafkajs';
