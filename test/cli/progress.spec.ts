import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { progressText } from '#src/cli/output.ts';
import { eventsOfFile } from '#src/cli/source-file.ts';

describe('the progress of a command', () => {
  it('has a share, a rate and the time to go where the end is known', () => {
    expect(progressText(1200, 4000, 2000)).to.equal('1200 of 4000, 30 %, 600/s, 5 s to go');
    expect(progressText(4000, 4000, 1000)).to.equal('4000 of 4000, 100 %, 4000/s, 0 s to go');
    expect(progressText(0, 4000, 3000)).to.equal('0 of 4000, 0 %, 0/s');
    expect(progressText(1200, undefined, 2000)).to.equal('1200, 600/s');
  });

  it('of a file is that of its bytes, and never beyond the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quipu-progress-'));
    const file = join(folder, 'lines');
    writeFileSync(file, 'x\n'.repeat(1_500_000));
    const source = eventsOfFile(file);
    const parts = [source.part?.()];
    for await (const items of source) parts.push(items.length > 0 ? source.part?.() : NaN);
    rmSync(folder, { recursive: true });
    expect(parts[0]).to.equal(0);
    expect(parts.at(-1)).to.equal(1);
    expect(parts.length).to.be.above(3);
    expect(parts).to.deep.equal([...parts].sort((a, b) => a! - b!));
  });
});
