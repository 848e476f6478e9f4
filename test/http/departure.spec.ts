import { expect } from 'chai';
import { accountsPath, call, startSample } from './sample.ts';

describe('a server that is about to stop', () => {
  it('reports not ready for a second to whoever watches it, and serves meanwhile', async () => {
    const sample = await startSample();
    expect((await call(sample, 'GET', '/readyz')).status).to.equal(200);
    const fromMs = performance.now();
    const left = sample.server.leave();
    const { status, json } = await call(sample, 'GET', '/readyz');
    expect([status, json['status']]).to.deep.equal([503, 'unhealthy']);
    expect(json['checks']).to.deep.equal({
      log: { status: 'up', latency_ms: 0.1 },
      process: { status: 'down', latency_ms: 0, detail: 'The process ends' },
    });
    expect((await call(sample, 'GET', '/health')).status).to.equal(200);
    expect((await call(sample, 'GET', accountsPath)).status).to.equal(200);
    await left;
    expect(performance.now() - fromMs).to.be.above(990);
    await sample.server.close();
  });

  it('does not wait for anyone when nobody watches it', async () => {
    const sample = await startSample();
    await call(sample, 'GET', '/health');
    const fromMs = performance.now();
    await sample.server.leave();
    expect(performance.now() - fromMs).to.be.below(500);
    expect((await call(sample, 'GET', '/readyz')).status).to.equal(503);
    await sample.server.close();
  });
});
