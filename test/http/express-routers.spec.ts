import { expect } from 'chai';
import { raw, startSample, type Sample } from './sample.ts';

describe('probes and pages', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  const statusOf = async (target: string, method = 'GET', headers = ''): Promise<number> => {
    const request = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`;
    return Number((await raw(sample, request)).split(' ')[1]);
  };

  it('are found by the same rules as operations, whichever form the target has', async () => {
    const expected: Record<string, number> = {
      '/HEALTH/?a=b': 200,
      'http://localhost/health': 200,
      'http://evil.example/health': 421,
      '/health//': 404,
      '//health': 404,
      '/health#a': 404,
      '/h%65alth': 404,
      '/docs/errors/%zz': 400,
      '/docs/errors/LDG-0484': 200,
      '/docs/errors/LDG-0484#a': 404,
      '/docs/errors/:code': 404,
      'http://localhost': 404,
      '*': 404,
    };
    const received: Record<string, number> = {};
    for (const target of Object.keys(expected)) received[target] = await statusOf(target);
    expect(received).to.deep.equal(expected);
  });

  it('refuse other methods, and tell a page which it may use', async () => {
    expect(await statusOf('/health', 'POST')).to.equal(405);
    expect(await statusOf('/nothing', 'OPTIONS')).to.equal(404);
    expect(await statusOf('/nothing', 'OPTIONS', 'Access-Control-Request-Method: GET\r\n')).to.equal(204); // prettier-ignore
    const allowed = await raw(sample, 'OPTIONS /docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'); // prettier-ignore
    expect(allowed).to.contain('\r\nAllow: GET, HEAD, OPTIONS\r\n');
  });
});
