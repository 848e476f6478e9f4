import { existsSync } from 'node:fs';
import type { Context } from 'mocha';
import { chromium, type Browser } from 'playwright-core';

/** Starts the browser of this machine. Without one, the tests are pending, or fail with REQUIRE_BROWSER=1. */
export async function openBrowser(context: Context): Promise<Browser> {
  const executablePath = process.env['BROWSER_PATH'] ?? PATHS.find((path) => existsSync(path));
  if (executablePath === undefined) {
    if (process.env['REQUIRE_BROWSER'] === '1')
      throw new Error(`No browser at ${PATHS.join(', ')}`);
    context.skip();
  }
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Root has no sandbox in a container, and only this machine has a name. */
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-dev-shm-usage'],
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];
