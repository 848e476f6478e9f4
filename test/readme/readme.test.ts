import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { blocksOf, type Block } from './blocks.ts';
import { freshCopy, newUsersEnvironment, ROOT } from './fresh-copy.ts';
import { lacking, openTerminal, SHELLS, type Shell, type Terminal } from './terminal.ts';

const blocks = blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));

describe('README.md', () => {
  it('has blocks to run, a second terminal, and something to expect', () => {
    expect(blocks.length).to.be.above(1);
    expect(blocks.some(({ secondTerminal }) => secondTerminal)).to.equal(true);
    expect(blocks.some(({ expected }) => expected.length > 0)).to.equal(true);
  });

  for (const shell of SHELLS) {
    const missing = lacking(shell);
    if (missing === undefined) {
      describe(`pasted into ${shell}`, () => worksIn(shell));
    } else if (process.env['REQUIRE_SHELLS'] === '1') {
      it(`pasted into ${shell}`, () => expect.fail(`${missing} is not installed`));
    } else it(`pasted into ${shell}, which needs ${missing}`);
  }
});

/** The README as a new user tries it: its blocks, unchanged and in their order, in a fresh copy of the tree. */
function worksIn(shell: Shell): void {
  let cwd = '';
  /** Opened for all blocks: each knows what the ones before it in its terminal have set. */
  let terminals: Readonly<Record<'first' | 'second', Terminal>>;

  before(async () => {
    await requireFree(PORT);
    cwd = freshCopy();
    const env = { ...newUsersEnvironment(), TMPDIR: join(cwd, 'tmp') };
    mkdirSync(env.TMPDIR);
    const open = (): Terminal => openTerminal(shell, { cwd, env });
    terminals = { first: open(), second: open() };
  });
  after(async () => {
    if (cwd === '') return;
    await stop(terminals.first);
    for (const terminal of Object.values(terminals)) terminal.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  /** Ctrl-C ends what runs there; its status is that of the signal. */
  async function stop(terminal: Terminal): Promise<void> {
    if (!terminal.isBusy()) return;
    terminal.interrupt();
    await terminal.done().catch(() => undefined);
  }

  for (const [n, block] of blocks.entries()) {
    it(`line ${block.line}: ${block.script.split('\n')[0] ?? ''}`, async function () {
      this.timeout(600_000);
      const { first, second } = terminals;
      const terminal = block.secondTerminal ? second : first;
      await stop(terminal);
      await terminal.paste(block.script);
      if (block.untilCtrlC) {
        await terminal.asksForCtrlC();
        await stop(terminal);
        return;
      }
      if (!block.secondTerminal && blocks[n + 1]?.secondTerminal === true) {
        await ready(terminal);
        return;
      }
      expectLastLine(await terminal.done(), block);
      if (block.secondTerminal) expect(first.isBusy(), first.all()).to.equal(true);
    });
  }
}

function expectLastLine(output: string, { expected }: Block): void {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  let from = 0;
  for (const part of expected) {
    const at = last.indexOf(part, from);
    expect(at, `${part} in the last line of:\n${output}`).to.be.at.least(0);
    from = at + part.length;
  }
}

/** Where a server listens whose user said nothing. */
const PORT = 3000;

async function ready(terminal: Terminal): Promise<void> {
  const deadlineMs = performance.now() + READY_MS;
  while (!(await answers(PORT))) {
    if (!terminal.isBusy()) throw new Error(`It ended:\n${terminal.all()}`);
    if (performance.now() > deadlineMs) throw new Error(`It does not listen:\n${terminal.all()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const READY_MS = 480_000; // Installing takes most of it.
const LOOK_MS = 50;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const requireFree = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', () => {
      reject(
        new Error(`Something listens on port ${port}, which the README's server needs: stop it`),
      );
    });
    probe.listen(port, '127.0.0.1', () => {
      probe.close(() => resolve());
    });
  });
