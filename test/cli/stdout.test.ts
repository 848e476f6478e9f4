import { closeSync, cpSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { CLI, NODE_FLAGS } from '#test/support/programs.ts';
import { quipu } from '#test/support/quipu.ts';
import { removeFolder, temporaryFolder } from '#test/support/server.ts';

const LOG = join(import.meta.dirname, '..', 'upgrades', '0.2.0', 'log.db');

describe('quipu whose stdout takes nothing', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  before(async () => {
    for (const name of ['data', 'damaged']) {
      mkdirSync(at(name));
      cpSync(LOG, join(at(name), 'log.db'));
    }
    const db = new DatabaseSync(join(at('damaged'), 'log.db'));
    db.exec(`UPDATE events SET data = replace(data, 'Andes', 'Andos') WHERE position = 1`);
    db.close();
    expect((await quipu(['export', at('data'), '--out', at('lines')])).code).to.equal(0);
  });
  after(() => removeFolder(folder));

  /** Runs a command with a pipe whose reader has closed, or with a file descriptor. */
  async function run(args: readonly string[], to: 'pipe' | number) {
    const child = spawn(process.execPath, [...NODE_FLAGS, CLI, ...args], {
      stdio: ['ignore', to, 'pipe'],
    });
    child.stdout?.destroy();
    let stderr = '';
    child.stderr!.on('data', (more: Buffer) => (stderr += more.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stderr };
  }

  it('because its reader has closed exits as if it were read', async () => {
    expect(await run(['verify', at('data')], 'pipe')).to.deep.equal({ code: 0, stderr: '' });
    expect(await run(['verify', at('damaged')], 'pipe')).to.include({ code: 1 });
    expect(await run(['verify', at('damaged'), '--json'], 'pipe')).to.include({ code: 1 });
    for (const args of [
      ['backup', at('data'), at('backup')],
      ['restore', at('data'), at('restored')],
      ['import', at('lines'), at('imported')],
    ]) {
      expect(await run(args, 'pipe'), args[0]).to.include({ code: 0 });
      expect(existsSync(join(args[2]!, 'log.db')), args[0]).to.equal(true);
      expect(existsSync(join(args[2]!, 'partial')), args[0]).to.equal(false);
    }
  });

  it('because its reader has closed has not exported', async () => {
    const { code, stderr } = await run(['export', at('data')], 'pipe');
    expect(stderr).to.equal(
      'quipu export: The reader of stdout has closed before it was given everything.\n',
    );
    expect(code).to.equal(2);
  });

  it('because its disk is full says so, and does not succeed', async function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    try {
      for (const [args, code] of [
        [['verify', at('data')], 2],
        [['verify', at('damaged')], 1],
        [['export', at('data')], 2],
        [['--help'], 2],
      ] as const) {
        const said = await run(args, full);
        expect(said.stderr, args.join(' ')).to.match(
          /^quipu.*: stdout cannot be written: ENOSPC.*\n(quipu: .*\n)?$/,
        );
        expect(said.code, args.join(' ')).to.equal(code);
      }
    } finally {
      closeSync(full);
    }
  });
});
