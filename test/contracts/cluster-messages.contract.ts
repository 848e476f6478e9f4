import { expect } from 'chai';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import { newName } from './samples.ts';

/** What every notice board promises. Both calls open the same board. */
export function noticeBoardContract(open: () => Promise<ClusterMessages>): void {
  let mine: ClusterMessages;
  let theirs: ClusterMessages;
  let name: string;

  beforeEach(async () => {
    [mine, theirs] = await Promise.all([open(), open()]);
    name = newName();
  });
  afterEach(() => Promise.all([mine.close(), theirs.close()]));

  it('has nothing on it at first', async () => {
    expect(await mine.read(name)).to.equal(undefined);
  });

  it('shows every process the last notice under each name', async () => {
    const other = newName();
    await mine.post(name, '{"one":1}', 1);
    await mine.post(other, '{"other":"é 🦙 \\ud800"}', 1);
    await mine.post(name, '{"two":2}', 1);
    expect(await theirs.read(name)).to.equal('{"two":2}');
    expect(await theirs.read(other)).to.equal('{"other":"é 🦙 \\ud800"}');
  });

  it('refuses an earlier holder once a later one has posted', async () => {
    await mine.post(name, '"mine"', 1);
    await theirs.post(name, '"theirs"', 2);
    expect(await mine.post(name, '"mine"', 1).catch((error: unknown) => error)).to.be.instanceOf(
      Fenced,
    );
    expect(await mine.read(name)).to.equal('"theirs"');
    await theirs.post(name, '"again"', 2);
    expect(await mine.read(name)).to.equal('"again"');
  });

  it('lists all whose names begin alike, whoever posted them', async () => {
    await Promise.all([
      mine.post(`${name}/a`, '1', 0),
      theirs.post(`${name}/é🦙`, '2', 0),
      mine.post(`${name}-b`, '3', 0),
    ]);
    expect(await mine.list(`${name}/`)).to.deep.equal(
      new Map([
        [`${name}/a`, '1'],
        [`${name}/é🦙`, '2'],
      ]),
    );
  });

  it('takes the first notices of two at once', async () => {
    await Promise.all([mine.post(name, '"mine"', 1), theirs.post(name, '"theirs"', 1)]);
    expect(await mine.read(name)).to.be.oneOf(['"mine"', '"theirs"']);
  });
}
