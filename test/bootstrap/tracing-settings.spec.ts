import { expect } from 'chai';
import { readTracingSettings } from '#src/bootstrap/tracing-settings.ts';
import { SettingReader } from '#src/kernel/setting-reader.ts';

describe('settings of tracing', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  const read = (env: Readonly<Record<string, string>>) => {
    const reader = new SettingReader(env);
    return { settings: readTracingSettings(reader), mistakes: reader.mistakes };
  };

  it('are off without an endpoint, whatever else is set', () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: '=', OTEL_TRACES_SAMPLER_ARG: 'x' };
    expect(read(env)).to.deep.equal({ settings: undefined, mistakes: [] });
  });

  it('need nothing but the endpoint', () => {
    expect(read(ENDPOINT)).to.deep.equal({
      settings: {
        ...{ endpoint: 'http://collector:4318', headers: {}, serviceName: 'quipu' },
        sampledRatio: 1,
      },
      mistakes: [],
    });
  });

  it('take headers and a share of the traces', () => {
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b, x-tenant = acme ,',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(read(env).settings).to.deep.include({
      headers: { authorization: 'Bearer a=b', 'x-tenant': 'acme' },
      sampledRatio: 0.25,
    });
    const off = { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
    expect(read(off).settings?.sampledRatio).to.equal(0);
  });

  it('name every mistake, and quote no credentials', () => {
    const { mistakes } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://user:hunter2@collector',
      OTEL_EXPORTER_OTLP_HEADERS: 'hunter2',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    });
    expect(mistakes.map((mistake) => /^\w+/.exec(mistake)?.[0])).to.have.members([
      ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'],
      ...['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
    ]);
    expect(mistakes.join()).to.not.contain('hunter2');
    for (const header of ['a=%zz', 'a b=c', 'a=%0a']) {
      const {
        mistakes: [one],
      } = read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: header });
      expect(one, header).to.contain('OTEL_EXPORTER_OTLP_HEADERS');
    }
  });
});
