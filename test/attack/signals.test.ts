import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort, removeFolder, temporaryFolder, until } from '#test/support/server.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('signals', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  afterEach(() => {
    for (const group of groups) for (const pid of livingOf(group)) process.kill(pid, 'SIGKILL');
    groups.clear();
  });
  after(() => removeFolder(folder));

  for (const shell of ['sh', 'bash']) {
    it(`SIGTERM to npm start under ${shell} finishes a request in hand and leaves no orphan`, async () => {
      const npm = await underNpm(['start'], folder, shell);
      const answer = await endsDuringRequest(npm, () => npm.child.kill('SIGTERM'));
      expect(answer).to.match(/^HTTP\/1\.1 201 /);
      expect(npm.child.signalCode ?? npm.child.exitCode).to.equal(0);
      expect(livingOf(npm.group)).to.deep.equal([]);
    });
  }

  it('Ctrl-C, which reaches the server from the terminal and from npm, finishes it too', async () => {
    const npm = await underNpm(['start'], folder, 'sh');
    const answer = await endsDuringRequest(npm, () => process.kill(-npm.group, 'SIGINT'));
    expect(answer).to.match(/^HTTP\/1\.1 201 /);
    await until(() => livingOf(npm.group).length === 0, 15_000, 'the server has ended');
  });

  it('a server whose npm is gone drains and ends, though no signal reaches it', async () => {
    const npm = await underNpm(['run', 'quipu', '--', 'serve'], folder, 'sh');
    const answer = await endsDuringRequest(npm, () => npm.child.kill('SIGTERM'));
    expect(answer).to.match(/^HTTP\/1\.1 201 /);
    await until(() => livingOf(npm.group).length === 0, 15_000, 'the server has ended');
  });

  it('systemd starts the server itself', () => {
    const unit = readFileSync(join(ROOT, 'infra', 'systemd', 'quipu.service'), 'utf8');
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    expect(command).to.match(/^\/opt\/quipu\/node_modules\/\.bin\/node .*src\/main\.ts$/);
    const sources = command.match(/\S*\bsrc\/\S+/g) ?? [];
    expect(sources.filter((file) => !existsSync(join(ROOT, file)))).to.deep.equal([]);
  });
});

/** Of process groups that were started; what is left of one is no orphan for the next test. */
const groups = new Set<number>();

type UnderNpm = Readonly<{ child: ChildProcess; group: number; port: number }>;

/** npm and all that it starts, in a process group of their own, once the server is ready. */
async function underNpm(args: readonly string[], folder: string, shell: string): Promise<UnderNpm> {
  const port = await freePort();
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, PORT: String(port), DATA_DIR: join(folder, 'data') };
  const child = spawn('npm', [`--script-shell=${shell}`, ...args], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const group = child.pid ?? -1;
  groups.add(group);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('Quipu is ready'), 30_000, 'ready');
  return { child, group, port };
}

/** Sends half a request, has the server ended, sends the other half, and resolves with the answer. */
async function endsDuringRequest({ child, port }: UnderNpm, end: () => void): Promise<string> {
  const body =
    '{"legalName":"Bank","legalDocument":"1","address":{"line1":"x","city":"y","country":"BR"}}';
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${String(body.length)}\r\n\r\n${body.slice(0, 10)}`,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  const gone = once(child, 'exit');
  const answered = textOf(socket);
  end();
  await new Promise((resolve) => setTimeout(resolve, 700));
  socket.write(body.slice(10));
  const answer = await answered;
  await gone;
  return answer;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

/** The processes of a group that run, zombies left out. */
function livingOf(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state !== 'Z' && Number(pgrp) === group;
      } catch {
        return false;
      }
    })
    .map(Number);
}
