import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Metrics } from '#src/http/metrics.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../infra/${file}`, import.meta.url), 'utf8');

describe('infra', () => {
  const compose = read('compose.yaml');

  it('publishes every port on loopback only, because nothing asks who calls', () => {
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

  it('draws what a server measures', async () => {
    const measured = await new Metrics().registry.metrics();
    const drawn = all(read('grafana/dashboards/quipu.json'), /\b((?:http|process|nodejs)_\w+)\b/g);

    expect(drawn).to.include('http_request_duration_seconds_bucket');
    for (const name of drawn) {
      expect(measured).to.include(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `);
    }
  });
});

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
