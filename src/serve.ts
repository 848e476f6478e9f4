import { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
import { startEmbedded } from './profiles/embedded.ts';
import { EXIT_CONFIG, loadSettings, SettingsError } from './profiles/settings.ts';

/** sysexits: EX_IOERR; and a stop that had to be cut off. */
const EXIT_IO = 74;
const EXIT_SLOW = 1;
const STOP_MS_MAX = 9_500;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

try {
  const settings = loadSettings(say);
  const { address, stop } = await startEmbedded(settings, (error) => {
    say(`The disk failed, so nothing is acknowledged any more: ${error.message}`);
    process.exit(EXIT_IO);
  });
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const url = `http://${host}:${String(address.port)}`;
  process.stdout.write(`Quipu is ready at ${url}, data in ${settings.dataDir}\n`);

  let stopping = false;
  const end = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(EXIT_SLOW), STOP_MS_MAX).unref();
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
} catch (error) {
  if (error instanceof SettingsError || error instanceof FolderLocked) {
    say(error.message);
    process.exit(EXIT_CONFIG);
  }
  throw error;
}
