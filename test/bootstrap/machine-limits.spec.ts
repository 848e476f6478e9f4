import { expect } from 'chai';
import { httpThreadsDefault, httpThreadsMax } from '#src/bootstrap/machine-limits.ts';

describe('HTTP threads', () => {
  it('are started where processors are left for them', () => {
    const defaults = [1, 2, 3, 4, 7, 8, 64].map((processors) => httpThreadsDefault(processors, 8));
    expect(defaults).to.deep.equal([0, 0, 0, 1, 1, 2, 2]);
  });

  it('are one at most where threads cannot share a port', () => {
    expect(httpThreadsMax('linux')).to.be.above(1);
    expect(httpThreadsMax('darwin')).to.equal(1);
    expect(httpThreadsDefault(64, httpThreadsMax('darwin'))).to.equal(1);
  });
});
