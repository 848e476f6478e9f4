import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLI, MAIN, NODE_FLAGS } from '#test/support/programs.ts';
import { freePort, removeFolder, temporaryFolder, until } from '#test/support/server.ts';

describe('quipu serve', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  after(() => removeFolder(folder));

  const serve = (settings: Readonly<Record<string, string>>, words = [CLI, 'serve']) => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, DATA_DIR: join(folder, 'data'), ...settings };
    return spawn(process.execPath, [...NODE_FLAGS, ...words], {
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

  it('names a host without an address', async () => {
    for (const threads of ['0', '2']) {
      const child = serve({
        PORT: '0',
        HOST: 'host.invalid',
        ALLOW_UNAUTHENTICATED: 'true',
        HTTP_THREADS: threads,
      });
      let text = '';
      child.stderr.on('data', (more: Buffer) => (text += more.toString()));
      expect(await once(child, 'close')).to.deep.equal([78, null]);
      expect(text).to.equal('The host host.invalid has no address; set HOST.\n');
    }
  });

  it('runs on when nobody reads its stdout', async () => {
    const port = await freePort();
    for (const words of [[CLI, 'serve'], [MAIN]]) {
      const child = serve({ PORT: String(port) }, words);
      child.stdout.destroy();
      const isUp = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        await answer?.text();
        return answer?.status === 200;
      };
      await until(isUp, 30_000, 'the server');
      await new Promise((resolve) => setTimeout(resolve, 200)); // The line with its address was lost.
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).to.deep.equal([0, null]);
    }
  });
});
