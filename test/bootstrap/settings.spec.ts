import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { producers } from '#src/bootstrap/definitions.ts';
import { topicName } from '#src/bridge/topic-name.ts';
import { httpMemoryDefault, httpThreadsDefault } from '#src/bootstrap/machine-limits.ts';
import { SHARED_KEYS } from '#test/support/shared-keys.ts';
import { loadSettings, readSettings, SettingsError } from '#src/bootstrap/settings.ts';

describe('settings', () => {
  const read = (env: Record<string, string>) => {
    const warnings: string[] = [];
    return { settings: readSettings(env, (text) => warnings.push(text)), warnings };
  };
  const mistakes = (env: Record<string, string>): string => {
    try {
      read(env);
    } catch (error) {
      if (error instanceof SettingsError) return error.message;
      throw error;
    }
    return '';
  };

  it('have defaults that need nothing', () => {
    expect(read({}).settings).to.deep.equal({
      host: '127.0.0.1',
      port: 3000,
      access: undefined,
      issuer: {
        namespaces: { core: 'quipu', isFolded: false },
        ...{ issuer: undefined, audience: undefined, accessSeconds: 3600, refreshSeconds: 86_400 },
        rateLimits: {
          limits: { general: 100, token: 10, permissions: 60 },
          serviceToken: undefined,
        },
      },
      listeners: {},
      dataDir: './data',
      platform: 'quipu',
      maxPaginationLimit: 100,
      maxPaginationMonths: undefined,
      eventStoreUrl: 'embedded:',
      readStoreUrl: 'embedded:',
      protection: {
        wrapping: { is: 'environment', current: undefined, previous: [] },
        hashKey: undefined,
      },
      streaming: undefined,
      consumer: undefined,
      roles: new Set(['api', 'projector', 'relay', 'delivery']),
      peers: { host: '127.0.0.1', port: 0, address: undefined },
      logLevel: 'info',
      tracing: undefined,
      clockJumpMaxSeconds: 3600,
      clockConfirmedUntil: undefined,
      corsAllowedOrigins: 'loopback',
      allowedHosts: [],
      httpThreads: httpThreadsDefault(),
      httpMemoryBytes: httpMemoryDefault(),
      errorDocsBaseUrl: undefined,
      errorCodeStyle: 'prefixed',
      idempotencyBodyHashSeconds: 0,
      components: {
        access: { platform: 'quipu', first: undefined, exposesClientSecrets: false },
        fees: { assetScales: {} },
        ledger: { envName: 'development', transactionBatchMaxSize: 10, feesApplyOnV1: true },
        streaming: {
          enabled: false,
          platform: 'quipu',
          source: '',
          exchange: '',
          allowedCidrs: [],
          credentials: {},
          hasBroker: false,
        },
      },
    });
  });

  it('let pages of all origins in only where they need a token', () => {
    const origins = (env: Record<string, string>) => read(env).settings.corsAllowedOrigins;
    const access = {
      ...{ PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: 'https://login.example', AUTHZ_MODE: 'none' },
    };
    expect(origins({})).to.equal('loopback');
    expect(origins(access)).to.equal('*');
    const listed = { CORS_ALLOWED_ORIGINS: 'https://app.example, http://localhost:5173/' };
    for (const env of [listed, { ...access, ...listed }]) {
      expect(origins(env)).to.deep.equal(['https://app.example', 'http://localhost:5173']);
    }
  });

  it('serve every host only where other machines reach the server, or where it is asked for', () => {
    const hosts = (env: Record<string, string>) => read(env).settings.allowedHosts;
    const open = { HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: 'true' };
    expect(hosts({ HOST: 'localhost' })).to.deep.equal([]);
    expect(hosts({ ALLOWED_HOSTS: 'Ledger.example, [fe80::1]' })).to.deep.equal([
      'ledger.example',
      '[fe80::1]',
    ]);
    expect(hosts({ ALLOWED_HOSTS: '*' })).to.equal('any');
    expect(hosts(open)).to.equal('any');
    expect(hosts({ ...open, ALLOWED_HOSTS: 'a.example' })).to.deep.equal(['a.example']);
  });

  it('consume the topics of the platform, and those of cataloged events of any source', () => {
    const consuming = {
      ...{ PLATFORM: 'acme', STREAMING_BROKERS: 'one:9092' },
      ...{ STREAMING_CONSUMER_ENABLED: 'true', STREAMING_CONSUMER_GROUP: 'acme.delivery' },
    };
    const { consumer } = read(consuming).settings;
    expect(consumer).to.deep.include({ group: 'acme.delivery', clientId: 'acme.delivery' });
    expect(consumer?.kafka.brokers).to.deep.equal(['one:9092']);
    const isConsumed = (topic: string): boolean =>
      consumer?.topics.some((pattern) => new RegExp(pattern).test(topic)) === true;
    for (const { topicStyle, definitions } of producers) {
      for (const definition of definitions) {
        const name = topicName({ platform: 'acme', source: '//Any/1.0', topicStyle }, definition);
        expect(isConsumed(name), name).to.equal(topicStyle !== 'routing-key');
        expect(isConsumed(`${name}.dlq`), `${name}.dlq`).to.equal(false);
      }
    }
    for (const other of ['other.streaming.ledger_account.created', 'orders', 'a.b.c', '__x.y']) {
      expect(isConsumed(other), other).to.equal(false);
    }
    const wrong = mistakes({ ...consuming, STREAMING_BROKERS: 'nowhere' });
    expect(wrong.match(/STREAMING_BROKERS: nowhere/g), wrong).to.have.length(1);
  });

  it('name every mistake in one message', () => {
    const message = mistakes({
      PORT: 'x',
      MAX_PAGINATION_LIMIT: '0',
      TRANSACTION_BATCH_MAX_SIZE: '51',
      MAX_PAGINATION_MONTH_DATE_RANGE: '-1',
      LOG_LEVEL: 'loud',
      EVENT_STORE_URL: 'postgres://localhost',
      READ_STORE_URL: 'mongodb:',
      ROLES: 'api,baker',
      CORS_ALLOWED_ORIGINS: 'a.example',
      ALLOWED_HOSTS: 'http://a.example',
      HTTP_MEMORY_BYTES: '1000',
      HTTP_THREADS: '9',
      ERROR_DOCS_BASE_URL: 'docs',
      ERROR_CODE_STYLE: 'short',
      ALLOW_UNAUTHENTICATED: 'yes',
    });
    for (const name of [
      'PORT',
      'ALLOWED_HOSTS',
      'HTTP_MEMORY_BYTES',
      'HTTP_THREADS',
      'MAX_PAGINATION_LIMIT',
      'TRANSACTION_BATCH_MAX_SIZE',
      'MAX_PAGINATION_MONTH_DATE_RANGE',
      'LOG_LEVEL',
      'EVENT_STORE_URL',
      'READ_STORE_URL',
      'baker',
      'CORS_ALLOWED_ORIGINS',
      'ERROR_DOCS_BASE_URL',
      'ERROR_CODE_STYLE',
      'ALLOW_UNAUTHENTICATED',
    ]) {
      expect(message).to.include(name);
    }
  });

  it('takes a base of error pages that a code can be appended to', () => {
    const base = (url: string) => read({ ERROR_DOCS_BASE_URL: url }).settings.errorDocsBaseUrl;
    expect(base('https://docs.example/errors//')).to.equal('https://docs.example/errors');
    expect(base('HTTPS://Docs.example/a b')).to.equal('https://docs.example/a%20b');
    expect(base('')).to.equal(undefined);
    for (const wrong of [
      'ftp://docs.example',
      'https://docs.example/?code=',
      'https://a.example/#',
    ]) {
      expect(() => base(wrong)).to.throw(SettingsError, 'ERROR_DOCS_BASE_URL');
    }
  });

  it('refuse an address that others reach, unless that is said', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.2', 'ledger.example']) {
      expect(mistakes({ HOST }), HOST).to.include('ALLOW_UNAUTHENTICATED');
      expect(mistakes({ HOST, ALLOW_UNAUTHENTICATED: 'true' })).to.equal('');
      const guarded = {
        PLUGIN_AUTH_ENABLED: 'true',
        PLUGIN_AUTH_ADDRESS: 'https://access.example',
      };
      expect(mistakes({ HOST, ...guarded })).to.equal('');
    }
    for (const HOST of ['127.0.0.2', '::1', 'localhost']) expect(mistakes({ HOST })).to.equal('');
  });

  it('split the work among processes only where they share the stores', () => {
    const shared = {
      EVENT_STORE_URL: 'esdb+discover://events.example',
      READ_STORE_URL: 'mongodb://reads.example/quipu',
      ...SHARED_KEYS,
    };
    expect(read({ ...shared, ROLES: 'api' }).settings.roles).to.deep.equal(new Set(['api']));
    expect(read({ ...shared, ROLES: 'projector, relay' }).settings.roles).to.have.length(2);
    expect(mistakes({ ROLES: 'api' })).to.include('ROLES');
    expect(mistakes({ EVENT_STORE_URL: shared.EVENT_STORE_URL, ROLES: 'relay' })).to.include(
      'ROLES',
    );
  });

  it('warn of names that look like ours', () => {
    const { warnings } = read({
      DATADIR: 'x',
      EVENT_STORE_ULR: 'x',
      MAX_PAGINATION_LIMITS: '1',
      STREAMING_FOO: 'x',
      PLUGIN_AUTH_URL: 'x',
      PATH: '/bin',
      PORTS: '1',
    });
    expect(warnings.join('\n')).to.equal(
      [
        'Setting DATADIR is not known; is it DATA_DIR?',
        'Setting EVENT_STORE_ULR is not known; is it EVENT_STORE_URL?',
        'Setting MAX_PAGINATION_LIMITS is not known; is it MAX_PAGINATION_LIMIT?',
        'Setting STREAMING_FOO is not known',
        'Setting PLUGIN_AUTH_URL is not known',
      ].join('\n'),
    );
  });

  it('come from a file beneath the environment', () => {
    const dir = mkdtempSync(join(tmpdir(), 'settings-'));
    const file = join(dir, '.env');
    writeFileSync(file, 'PLATFORM=acme\n');
    expect(loadSettings(() => {}, file).platform).to.equal('acme');
    expect(() => loadSettings(() => {}, dir)).to.throw(
      SettingsError,
      `${dir} cannot be read: EISDIR`,
    );
    rmSync(dir, { recursive: true });
  });
});
