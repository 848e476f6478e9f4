import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { blocksOf, type Block } from './blocks.ts';
import { freshCopy, newUsersEnvironment, ROOT } from './fresh-copy.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The README as a new user tries it: its blocks as they stand, in their order, in a fresh copy of the tree. */
describe('README.md', function () {
  this.timeout(600_000);

  const blocks = blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  const env = newUsersEnvironment();
  let cwd = '';
  /** What goes on in the first terminal, from the block that started it. */
  let first: Terminal | undefined;

  before(async () => {
    await requireFree(PORT);
    cwd = freshCopy();
  });
  after(async () => {
    await stop();
    if (cwd !== '') rmSync(cwd, { recursive: true, force: true });
  });

  async function stop(): Promise<void> {
    first?.interrupt();
    await first?.ended;
    first = undefined;
  }

  it('has blocks to run, a second terminal, and something to expect', () => {
    expect(blocks.length).to.be.above(1);
    expect(blocks.some(({ secondTerminal }) => secondTerminal)).to.equal(true);
    expect(blocks.some(({ expected }) => expected.length > 0)).to.equal(true);
  });

  for (const session of sessionsOf(blocks)) {
    const [block] = session;
    const titles = session.map(
      ({ script, line }) => `line ${line}: ${script.split('\n')[0] ?? ''}`,
    );
    it(titles.join(', '), async () => {
      if (!block.secondTerminal) await stop();
      const script = session.map((one) => one.script).join(`\necho '${NEXT_BLOCK}'\n`);
      const terminal = openTerminal(script, { cwd, env });
      if (followedBySecond(blocks, block)) {
        first = terminal;
        await ready(terminal);
        return;
      }
      const code = await terminal.ended;
      expect(code, terminal.all()).to.equal(0);
      const outputs = terminal.output().split(NEXT_BLOCK);
      for (const [n, { expected }] of session.entries()) expectOf(outputs[n] ?? '', expected);
      expect(first?.hasEnded() ?? false, 'the first terminal has ended').to.equal(false);
    });
  }
});

type Session = readonly [Block, ...Block[]];

/** What is typed into one terminal: blocks for the second one follow each other there, and know what was set before. */
function sessionsOf(blocks: readonly Block[]): Session[] {
  const sessions: [Block, ...Block[]][] = [];
  for (const block of blocks) {
    const last = sessions.at(-1);
    if (block.secondTerminal && last?.[0].secondTerminal === true) last.push(block);
    else sessions.push([block]);
  }
  return sessions;
}

const followedBySecond = (blocks: readonly Block[], block: Block): boolean =>
  !block.secondTerminal && blocks[blocks.indexOf(block) + 1]?.secondTerminal === true;

function expectOf(output: string, expected: readonly string[]): void {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  let from = 0;
  for (const part of expected) {
    const at = last.indexOf(part, from);
    expect(at, `${part} in ${last}`).to.be.at.least(0);
    from = at + part.length;
  }
}

/** No command of the page prints it. */
const NEXT_BLOCK = '-- the next block --';

/** Where a server listens whose user said nothing. */
const PORT = 3000;

async function ready(terminal: Terminal): Promise<void> {
  const deadlineMs = performance.now() + READY_MS;
  while (!(await answers(PORT))) {
    if (terminal.hasEnded()) throw new Error(`It ended:\n${terminal.all()}`);
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
