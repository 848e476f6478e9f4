import { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
import { startEmbedded } from './profiles/embedded.ts';
import { EXIT_CONFIG, loadSettings, SettingsError } from './profiles/settings.ts';

/** sysexits, EX_IOERR. */
const EXIT_IO = 74;
/** A stop takes less; what is cut off was not acknowledged. */
const STOP_MS_MAX = 9_500;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

// From the first moment on: whoever starts us may want us to end before we are ready.
const asked = new Promise<void>((resolve) => {
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
});

try {
  const settings = loadSettings(say);
  const { address, stop } = await startEmbedded(settings, (error) => {
    say(`The disk failed, so nothing is acknowledged any more: ${error.message}`);
    process.exit(EXIT_IO);
  });
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const url = `http://${host}:${String(address.port)}`;
  process.stdout.write(`Quipu is ready at ${url}, data in ${settings.dataDir}\n`);

  await asked;
  setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
  await stop();
  process.exit(0);
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof FolderLocked)) throw error;
  say(error.message);
  process.exit(EXIT_CONFIG);
}
