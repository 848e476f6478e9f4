import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

/** Who may import whom, besides itself and what Node brings (lint watches that). */
const may: Record<string, string> = {
  domain: '',
  events: 'domain',
  resources: 'domain events', // A view is a pure function of an event's after-image.
  ports: 'domain',
  projections: 'domain events ports',
  dsl: 'domain',
  commands: 'domain events',
  'commands: records, routes': 'domain dsl events resources http projections',
  queries: 'domain events resources http projections ports',
  journal: 'domain events ports',
  runtime: 'domain events ports',
  http: 'domain resources ports journal runtime express ajv prom-client @fastify/busboy',
  verify: 'domain', // The auditor's own arithmetic: nothing of what decides, writes or folds.
  bridge: 'domain events ports cloudevents',
  'adapters/embedded': 'domain ports',
  'adapters/embedded: workers': 'domain events ports journal runtime projections queries', // Each hosts a role.
  'adapters/eventstoredb': 'domain ports @eventstore/db-client google-protobuf',
  'adapters/jwt': 'domain ports jsonwebtoken',
  'adapters/kafka': 'domain ports kafkajs lz4-napi',
  'adapters/memory': 'domain ports',
  'adapters/mongodb': 'domain ports mongodb',
  'adapters/rabbitmq': 'domain ports amqplib',
  'adapters/system': 'domain ports', // The clock, randomness and timers of this machine.
};
const mayAll = /^src\/((profiles|cli)\/.*|(.+-)?main\.ts)$/;

const files = globSync('{src,commands,projections,queries}/**/*.ts').map((found) => {
  const file = found.replaceAll('\\', '/');
  return { file, layer: layerOf(file), text: readFileSync(found, 'utf8') };
});
const imports = files.flatMap(({ file, layer, text }) =>
  ts.preProcessFile(text).importedFiles.map(({ fileName: path }) => {
    const target = path.startsWith('.') ? posix.join(file, '..', path) : path.replace(/^#/, '');
    return { file, layer, path, target, says: `${file} imports ${path}` };
  }),
);

describe('architecture', () => {
  it('knows the layer of every file', () => {
    const lost = files.filter(({ file, layer }) => !(layer in may) && !mayAll.test(file));
    expect(lost.map(({ file }) => file)).to.deep.equal([]);
  });

  it('lets a layer import only what the table says', () => {
    const wrong = imports.filter(({ file, layer, target }) => {
      const allowed = [areaOf(file), ...(may[layer] ?? '').split(' ')];
      return !mayAll.test(file) && !target.startsWith('node:') && !allowed.includes(areaOf(target));
    });
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('keeps the decider of one slice out of the others', () => {
    const slice = (file: string) => /^commands\/[^/]+\/[^/]+\//.exec(file)?.[0];
    const wrong = imports
      .filter(({ target }) => /^commands\/.*\/decider\.ts$/.test(target))
      .filter(({ file, target }) => slice(file) && slice(file) !== slice(target));
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('imports siblings by ./name.ts and everything else by #root/name.ts', () => {
    const ours = imports.filter(({ path }) => /^[.#]/.test(path));
    const wrong = ours.filter(({ path }) => !/^(\.|#\w+)\/[^.].*\.ts$/.test(path));
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('has no barrels', () => {
    const passedOn = /^(import|export)\s[^;'"]*\sfrom\s+'[^']*';|\/\*[^]*?\*\/|\/\/.*/gm;
    const barrels = files.filter(({ text }) => !text.replace(passedOn, '').trim());
    expect(barrels.map(({ file }) => file)).to.deep.equal([]);
  });
});

/** `src/domain/ids.ts` → `domain`, `src/adapters/memory/…` → `adapters/memory`, `commands/…` → `commands`. */
function areaOf(path: string): string {
  return /^(src\/)?((adapters\/|@[^/]+\/)?[^/]+)/.exec(path.replace(/\.ts$/, ''))?.[2] ?? path;
}

/** An area, or the part of it that may import more. In a slice's folder only routes know of HTTP. */
function layerOf(file: string): string {
  if (/^commands\/([^/]+\/[^/]+|.+[/-]routes)\.ts$/.test(file)) return 'commands: records, routes';
  if (/^src\/adapters\/embedded\/.*-worker\.ts$/.test(file)) return 'adapters/embedded: workers';
  return areaOf(file);
}
