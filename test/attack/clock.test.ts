import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openBook, posted, transfer } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
} from '#test/support/server.ts';

const YEARS_60_MS = 60 * 365 * 24 * 3600 * 1000;

/** Loaded into every thread of the server: its clock is ahead by what a file says. */
const preload = (file: string): string => `
  import { readFileSync } from 'node:fs';
  const now = Date.now;
  let at = -1, ahead = 0;
  Date.now = () => {
    const ms = now();
    if (ms - at > 20) { at = ms; ahead = Number(readFileSync(${JSON.stringify(file)}, 'utf8')); }
    return ms + ahead;
  };`;

describe('a clock that is 60 years ahead', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const ahead = join(folder, 'ahead');
  const setAhead = (ms: number) => writeFileSync(ahead, String(ms));
  const env = { NODE_OPTIONS: `--import=${join(folder, 'clock.mjs')}` };
  before(() => {
    setAhead(0);
    writeFileSync(join(folder, 'clock.mjs'), preload(ahead));
  });
  after(() => removeFolder(folder));

  it('dates nothing, whether it jumps while the server runs or before it starts', async () => {
    const dataDir = temporaryFolder();
    let server = await startServer({ dataDir, env });
    const client = clientOf(() => server);
    const impatient = clientOf(() => server, { impatient: true });
    const { at } = await openBook(client, { accounts: ['@alice'] });
    const path = `${at}/transactions/json`;
    const body = transfer('@external/BRL', '@alice', '1');
    const keyed = { 'X-Idempotency': 'once', 'X-TTL': '3600' };
    expect((await client.post(path, body, keyed)).status).to.equal(201);

    setAhead(YEARS_60_MS);
    await until(() => server.output().includes('nothing is written'), 5000, 'said in the log');
    const refused = await impatient.post(path, body, { 'X-Idempotency': 'jumped' });
    expect(refused.status).to.equal(503);
    expect(refused.headers['retry-after']).to.equal('60');
    expect(refused.text).to.contain('The clock shows 20');
    const ready = await impatient.get('/readyz');
    expect(ready.status).to.equal(503);
    expect(ready.text).to.contain('The clock shows');
    expect((await impatient.get(`${at}/accounts`)).status).to.equal(200);

    await stopServer(server);
    server = await startServer({ dataDir, env }); // The clock is still wrong.
    expect((await impatient.post(path, body)).status).to.equal(503);
    setAhead(0);
    await until(async () => (await impatient.get('/readyz')).status === 200, 5000, 'ready again');
    const repeated = await client.post(path, body, keyed);
    expect(repeated.headers['x-idempotency-replayed'], 'the key lives').to.equal('true');
    const { createdAt } = await posted(client, at, body);
    expect(Math.abs(Date.parse(createdAt) - Date.now())).to.be.below(60_000);

    await stopServer(server);
    setAhead(YEARS_60_MS);
    const confirmed = new Date(Date.now() + YEARS_60_MS + 60_000).toISOString();
    server = await startServer({ dataDir, env: { ...env, CLOCK_CONFIRMED_UNTIL: confirmed } });
    expect((await client.post(path, body)).status, 'an operator has confirmed it').to.equal(201);
    await stopServer(server);
    setAhead(0);
    server = await startServer({ dataDir, env });
    const dated = await impatient.post(path, body);
    expect(dated.status, 'what was dated ahead does not date what follows').to.equal(503);
    expect(dated.text).to.contain('The newest event here is dated 20');
    await stopServer(server);
    client.close();
    impatient.close();
    removeFolder(dataDir);
  });
});
