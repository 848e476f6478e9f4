import { expect } from 'chai';
import { readConsumerSettings } from '#src/bootstrap/consumer-settings.ts';
import { SettingReader } from '#src/kernel/setting-reader.ts';

const NEEDED = {
  STREAMING_CONSUMER_ENABLED: 'true',
  STREAMING_CONSUMER_BROKERS: 'kafka://one:9092,two:9093',
  STREAMING_CONSUMER_GROUP: 'billing',
  STREAMING_CONSUMER_TOPICS: 'a.b, c.d',
};
const read = (env: Record<string, string>) => {
  const reader = new SettingReader(env);
  return { settings: readConsumerSettings(reader), mistakes: reader.mistakes };
};

describe('consumer settings', () => {
  it('have the defaults of the contract', () => {
    const { settings, mistakes } = read(NEEDED);
    expect(mistakes).to.deep.equal([]);
    expect(settings).to.deep.include({
      ...{ group: 'billing', clientId: 'billing', topics: ['a.b', 'c.d'] },
      ...{ retryBudget: 3, retryInitialMs: 100, retryMaxMs: 5000, dwellMaxMs: 1000, haltMs: 250 },
      ...{ closeTimeoutMs: 30_000, deadLetterSuffix: '.dlq' },
    });
    expect(settings?.kafka.brokers).to.deep.equal(['one:9092', 'two:9093']);
  });

  it('are off by default, and checked even then', () => {
    expect(read({})).to.deep.equal({ settings: undefined, mistakes: [] });
    expect(read({ STREAMING_CONSUMER_RETRY_BUDGET: 'many' }).mistakes).to.have.length(1);
  });

  it('take patterns, and topics that are given by default', () => {
    const topics = '^lending\\.[a-z]+$, a.b';
    const { settings } = read({ ...NEEDED, STREAMING_CONSUMER_TOPICS: topics });
    expect(settings?.topics).to.deep.equal(['^lending\\.[a-z]+$', 'a.b']);
    const { STREAMING_CONSUMER_TOPICS: _, ...rest } = NEEDED;
    const reader = new SettingReader(rest);
    expect(readConsumerSettings(reader, ['^c$'])?.topics).to.deep.equal(['^c$']);
    expect(reader.mistakes).to.deep.equal([]);
    for (const wrong of ['^(', 'a b', 'a/b', 'x'.repeat(250)]) {
      const { mistakes } = read({ ...NEEDED, STREAMING_CONSUMER_TOPICS: `a.b,${wrong}` });
      expect(mistakes, wrong).to.have.length(1);
      expect(mistakes[0]).to.match(/^STREAMING_CONSUMER_TOPICS/);
    }
  });

  it('take the brokers of the producer where they name none', () => {
    const { STREAMING_CONSUMER_BROKERS: _, ...rest } = NEEDED;
    const shared = read({ ...rest, STREAMING_BROKERS: 'three:9092' });
    expect(shared.settings?.kafka.brokers).to.deep.equal(['three:9092']);
  });

  it('name every variable that is missing or wrong', () => {
    expect(read({ STREAMING_CONSUMER_ENABLED: 'true' }).mistakes).to.have.length(3);
    const wrong = {
      STREAMING_CONSUMER_BROKERS: 'nowhere',
      STREAMING_CONSUMER_DLQ_SUFFIX: '/dead',
      STREAMING_CONSUMER_RETRY_BUDGET: '-1',
      STREAMING_CONSUMER_RETRY_BACKOFF_INITIAL_MS: '0',
      STREAMING_CONSUMER_RETRY_BACKOFF_MAX_MS: 'x',
      STREAMING_CONSUMER_RETRY_INLOOP_MAX_DWELL_MS: '30001',
      STREAMING_CONSUMER_HALT_BACKOFF_MS: '0',
      STREAMING_CONSUMER_POLL_TIMEOUT_MS: '60001',
      STREAMING_CONSUMER_CLOSE_TIMEOUT_S: '-1',
    };
    const { mistakes } = read({ ...NEEDED, ...wrong });
    for (const name of Object.keys(wrong)) {
      expect(
        mistakes.filter((mistake) => mistake.startsWith(name)),
        name,
      ).to.have.length(1);
    }
    const upsideDown = { ...NEEDED, STREAMING_CONSUMER_RETRY_BACKOFF_INITIAL_MS: '6000' };
    expect(read(upsideDown).mistakes[0]).to.match(/INITIAL_MS must not exceed/);
  });
});
