import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Metrics } from '#src/http/metrics.ts';
import { registerMeters } from '#src/bootstrap/meters.ts';
import { readSettings } from '#src/bootstrap/settings.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../infra/${file}`, import.meta.url), 'utf8');

describe('infra', () => {
  const compose = read('compose.yaml');

  it('publishes every port on loopback only, because everybody knows its passwords', () => {
    const published = all(compose, /^ +ports: (.*)$/gm);

    expect(published).to.have.length.above(6);
    for (const ports of published) expect(ports).to.match(/^\['127\.0\.0\.1:\d+:\d+'\]$/);
  });

  it('pins every image to a version', () => {
    const images = [
      ...all(compose, /^ +image: (.*)$/gm),
      ...all(read('Dockerfile'), /^FROM (\S+)/gm),
    ];

    expect(images).to.have.length.above(8);
    for (const image of images) expect(image).to.match(/:v?\d+\.\d+[\w.-]*$/);
  });

  it('sets what the product knows, and nothing else', () => {
    const block = /^x-quipu-settings: &quipu-settings\n((?: .*\n)+)/m.exec(compose)?.[1] ?? '';
    const env = Object.fromEntries(
      [...block.matchAll(/^ +([A-Z_]+): (.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value.replace(/ #.*/, '').replaceAll("'", ''),
      ]),
    );
    const warnings: string[] = [];
    const roles = all(compose, /^ +ROLES: (.*)$/gm);
    expect(roles.join(',').split(',')).to.have.members(['api', 'projector', 'relay', 'delivery']);
    for (const ROLES of roles) {
      const { streaming, ...settings } = readSettings({ ...env, ROLES }, (text) =>
        warnings.push(text),
      );
      expect([...settings.roles]).to.deep.equal(ROLES.split(','));
      expect(streaming?.target).to.deep.include({ is: 'kafka', brokers: ['kafka:19092'] });
    }
    expect(warnings).to.deep.equal([]);
  });

  it('draws what a server measures', async () => {
    const { registry } = new Metrics();
    registerMeters(registry, {
      progress: { lagMs: () => 0 },
      behind: () => undefined,
      ...{ stopped: new Map(), dataDir: '.' },
      relay: () => undefined,
      peers: () => undefined,
      replays: () => 0,
      delivery: () => undefined,
      topics: () => undefined,
      refusedDropped: () => 0,
    });
    const measured = await registry.metrics();
    const shown = read('grafana/dashboards/quipu.json') + read('prometheus/alerts.yml');
    const drawn = all(shown, /\b((?:http|process|nodejs|quipu)_\w+)\b/g);

    expect(drawn).to.include.members([
      'http_request_duration_seconds_bucket',
      'quipu_relay_lag_events',
    ]);
    for (const name of drawn) {
      expect(measured).to.include(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `);
    }
  });
});

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
