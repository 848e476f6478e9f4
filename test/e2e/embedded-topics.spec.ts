import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import { got } from './books.ts';

const STREAMING = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
};

describe('embedded topics', () => {
  const client = clientOf(serverOfBlock({ env: STREAMING }));
  after(() => client.close());

  it('need no broker: the server is ready and says that nothing is relayed', async () => {
    const isReady = async () => (await client.get('/readyz')).status === 200;
    await until(isReady, 30_000, 'the server is ready');
    const { checks } = await got<{ checks: Record<string, object> }>(client, '/readyz');
    expect(checks['streaming']).to.deep.equal({
      ...{ status: 'up', latency_ms: 0, detail: 'embedded topics' },
    });
  });
});
