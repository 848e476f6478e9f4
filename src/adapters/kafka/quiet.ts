/**
 * Suppresses a warning of Node: after every response the driver sets a timer to a moment in the past, which Node
 * reports once per process. Only that warning, caused by the driver, is removed.
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
