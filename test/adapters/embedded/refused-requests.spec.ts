import { expect } from 'chai';
import { appendFileSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Micros } from '#src/kernel/instant.ts';
import type { RefusedRequest } from '#src/ports/refused-requests.ts';
import { openRefusedRequests, refusedFile } from '#src/adapters/embedded/refused-requests.ts';
import { removeFolder, temporaryFolder, until } from '#test/support/server.ts';

type Line = Partial<Record<string, unknown>>;

const START = 1_800_000_000_000_000 as Micros;

describe('refused requests in a file', () => {
  let dir: string;
  let now: Micros;
  beforeEach(() => {
    dir = temporaryFolder();
    now = START;
  });
  afterEach(() => removeFolder(dir));

  const troubles: unknown[] = [];
  const open = (fileBytesMax?: number) =>
    openRefusedRequests(dir, {
      clock: { now: () => now },
      onTrouble: (error) => troubles.push(error),
      ...(fileBytesMax !== undefined && { fileBytesMax }),
    });
  const refused = (requestId: string, more: Partial<RefusedRequest> = {}): RefusedRequest => ({
    ...{ at: now, status: 401, code: 'LDG-0042', method: 'GET', route: '/v1/organizations' },
    requestId,
    ...more,
  });
  const textOf = (age = 0) => readFileSync(refusedFile(dir, age), 'utf8');
  const linesOf = (age = 0): Line[] =>
    textOf(age)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);

  it('are lines of JSON that only the owner may read, kept over a restart', async () => {
    const first = open();
    first.record(refused('a', { subject: 'ana', client: 'shop', status: 403, code: 'LDG-0043' }));
    await first.close();
    const second = open();
    second.record(refused('b', { route: undefined }));
    await second.close();
    expect(linesOf()).to.deep.equal([
      {
        ...{ time: '2027-01-15T08:00:00.000000Z', status: 403, code: 'LDG-0043', method: 'GET' },
        ...{ route: '/v1/organizations', requestId: 'a', subject: 'ana', client: 'shop' },
      },
      {
        ...{ time: '2027-01-15T08:00:00.000000Z', status: 401, code: 'LDG-0042', method: 'GET' },
        requestId: 'b',
      },
    ]);
    expect(statSync(refusedFile(dir)).mode & 0o777).to.equal(0o600);
  });

  it('follow a line that a crash cut off', async () => {
    appendFileSync(refusedFile(dir), '{"time":"2027');
    const file = open();
    file.record(refused('a'));
    await file.close();
    const [torn, whole] = textOf().split('\n');
    expect(torn).to.equal('{"time":"2027');
    expect(JSON.parse(whole!)).to.include({ requestId: 'a' });
  });

  it('are counted where a flood leaves no room, and subjects that are known keep theirs', async () => {
    const file = open();
    for (let n = 0; n < 100_000; n += 1) file.record(refused(`flood-${n}`));
    for (let n = 0; n < 10; n += 1) file.record(refused(`known-${n}`, { subject: 'ana' }));
    expect(file.dropped).to.equal(99_000);
    now = (START + 1_000_000) as Micros;
    for (let n = 0; n < 100; n += 1) file.record(refused(`later-${n}`));
    await file.close();
    const lines = linesOf();
    const dropped = lines.reduce((sum, line) => sum + Number(line['dropped'] ?? 0), 0);
    const kept = lines.filter((line) => line['dropped'] === undefined);
    expect([kept.length, dropped]).to.deep.equal([1000 + 10 + 20, 99_000 + 80]);
    expect(kept.filter((line) => line['subject'] === 'ana')).to.have.length(10);
  });

  it('fill five files over many starts, of which the oldest goes', async () => {
    for (let n = 0; n < 200; n += 1) {
      const file = open(1000);
      file.record(refused(`r-${n}`));
      await file.close();
    }
    const ages = [4, 3, 2, 1, 0];
    const ids = ages.flatMap((age) => linesOf(age).map((line) => line['requestId']));
    expect(ids.at(-1)).to.equal('r-199');
    expect(ids.length).to.be.below(200);
    expect(ids).to.deep.equal(Array.from(ids, (_, n) => `r-${200 - ids.length + n}`));
    expect(() => textOf(5)).to.throw('ENOENT');
  });

  it('are only counted while the file cannot be written, which is reported once', async () => {
    mkdirSync(refusedFile(dir));
    troubles.length = 0;
    const file = open();
    for (let n = 0; n < 3; n += 1) {
      file.record(refused(`r-${n}`));
      await until(() => file.dropped === n + 1, 5000, 'a line that is not written');
    }
    expect([file.dropped, troubles.length]).to.deep.equal([3, 1]);
    rmdirSync(refusedFile(dir));
    file.record(refused('kept'));
    await file.close();
    const [line, gap] = linesOf();
    expect([line, gap?.['dropped']]).to.deep.equal([{ ...line, requestId: 'kept' }, 3]);
  });

  it('make their folder where the stores have none', async () => {
    dir = join(dir, 'data');
    const file = open();
    file.record(refused('a'));
    await file.close();
    expect(linesOf()).to.have.length(1);
  });
});
