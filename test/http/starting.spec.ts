import { expect } from 'chai';
import { accountsPath, call, startSample, transfersPath, type Sample } from './sample.ts';
import type { Readiness } from '#src/http/services.ts';

describe('a server before its stores are open', () => {
  const notReady: Readiness = {
    ready: false,
    checks: { event_store: { status: 'down', latency_ms: 1, detail: 'Waiting for esdb://there' } },
    deploymentMode: 'distributed',
  };
  let sample: Sample;
  beforeEach(async () => {
    const starting = { readiness: () => notReady, waitsFor: () => 'esdb://there' };
    sample = await startSample({ services: undefined, starting });
  });
  afterEach(() => sample.server.close());

  it('is healthy, not ready, and says what it waits for', async () => {
    expect((await call(sample, 'GET', '/health')).status).to.equal(200);
    expect((await call(sample, 'GET', '/version')).status).to.equal(200);
    const { status, json } = await call(sample, 'GET', '/readyz');
    expect(status).to.equal(503);
    expect(json['checks']).to.deep.equal(notReady.checks);
  });

  it('refuses every route with a problem and when to come again', async () => {
    const answers = [
      await call(sample, 'GET', accountsPath),
      await call(sample, 'POST', transfersPath, '{"send"', { 'Content-Type': 'application/json' }),
    ];
    for (const { status, headers, json } of answers) {
      expect(status).to.equal(503);
      expect(headers['content-type']).to.equal('application/problem+json');
      expect(headers['retry-after']).to.equal('2');
      expect(json['detail']).to.equal('The server is starting; it waits for esdb://there.');
    }
    expect((await call(sample, 'GET', '/v1/nothing')).status).to.equal(404);
  });

  it('serves them once it is opened', async () => {
    sample.server.open({} as never);
    expect((await call(sample, 'GET', accountsPath)).status).to.equal(200);
  });
});
