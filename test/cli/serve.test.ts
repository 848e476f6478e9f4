import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLI, NODE_FLAGS } from '#test/support/programs.ts';
import { freePort, removeFolder, temporaryFolder, until } from '#test/support/server.ts';

describe('quipu serve', () => {
  const folder = temporaryFolder();
  after(() => removeFolder(folder));

  const serve = (settings: Readonly<Record<string, string>>) => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, DATA_DIR: join(folder, 'data'), ...settings };
    return spawn(process.execPath, [...NODE_FLAGS, CLI, 'serve'], {
      cwd: folder,
      env,
      stdio: 'pipe',
    });
  };

  it('is the server: ready, answering, and ended by SIGTERM with 0', async () => {
    const port = await freePort();
    const child = serve({ PORT: String(port) });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(line.toString()).to.match(new RegExp(`^Quipu is ready at http://127.0.0.1:${port},`));
    const answered = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/organizations`);
      await answer.text();
      return answer.status === 200; // On a busy machine, a read may be asked to come again.
    };
    await until(answered, 30_000, 'the organizations');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });

  it('ends with 78 when settings are wrong', async () => {
    const child = serve({ PORT: 'none' });
    expect(await once(child, 'exit')).to.deep.equal([78, null]);
  });
});
