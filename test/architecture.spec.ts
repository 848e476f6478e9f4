import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

/** A folder's files import only these, themselves and Node's modules; lint limits the last. */
const may: Record<string, string> = {
  kernel: '',
  events: 'kernel',
  ports: 'kernel',
  resources: 'kernel events', // A view is a pure function of an event's after-image.
  dsl: 'kernel events',
  verify: 'kernel', // The auditor's own arithmetic: nothing of the code that decides, writes or folds.
  projections: 'kernel events ports',
  commands: 'kernel events',
  'commands/processes': 'kernel events ports journal commands',
  'commands/api':
    'kernel events ports journal commands commands/processes resources dsl http projections',
  queries: 'kernel events ports resources http projections',
  journal: 'kernel ports',
  runtime: 'kernel ports',
  http: 'kernel ports journal runtime express ajv prom-client @fastify/busboy',
  bridge: 'kernel events ports cloudevents',
  'adapters/embedded': 'kernel ports adapters/threads',
  'adapters/eventstoredb':
    'kernel ports adapters/system adapters/threads @eventstore/db-client google-protobuf',
  'adapters/environment-key': 'kernel ports',
  'adapters/kafka': 'kernel ports adapters/network kafkajs lz4-napi',
  'adapters/mongodb': 'kernel ports mongodb',
  'adapters/network': 'kernel ports',
  'adapters/oidc': 'kernel ports jose',
  'adapters/opentelemetry':
    'kernel ports @opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace',
  'adapters/peers': 'kernel ports adapters/threads',
  'adapters/rabbitmq': 'kernel ports adapters/network amqplib',
  'adapters/threads': '',
  'adapters/vault': 'kernel ports',
  'adapters/webhook': 'kernel ports adapters/network',
  'adapters/system': 'kernel ports', // The clock, randomness and timers of this machine.
};
/** Folders that name no component; what a component has in `bridge` and `verify` lies in a folder of its own there. */
const shared = ['kernel', 'ports', 'http', 'journal', 'runtime', 'bridge', 'verify'];
const isOfComponent = (path: string) =>
  /^src\/(events|resources|verify|bridge)\/[^/]+\//.test(path);
const mayAll = /^src\/((bootstrap|cli|components|library)\/.*|(.+-)?main\.ts)$/;

const files = globSync('{src,commands,projections,queries}/**/*.ts').map((found) => {
  const file = found.replaceAll('\\', '/');
  return { file, folder: folderOf(file), text: readFileSync(found, 'utf8') };
});
const imports = files.flatMap(({ file, folder, text }) =>
  ts.preProcessFile(text).importedFiles.map(({ fileName: path }) => {
    const target = path.startsWith('.') ? posix.join(file, '..', path) : path.replace(/^#/, '');
    return { file, folder, path, target, says: `${file} imports ${path}` };
  }),
);

describe('architecture', () => {
  it('knows the folder of every file', () => {
    const lost = files.filter(({ file, folder }) => !(folder in may) && !mayAll.test(file));
    expect(lost.map(({ file }) => file)).to.deep.equal([]);
  });

  it('lets a folder import only what the table says', () => {
    const wrong = imports.filter(({ file, folder, target }) => {
      const allowed = [folder, ...(may[folder] ?? '').split(' ')];
      const isFree = mayAll.test(file) || target.startsWith('node:');
      return !isFree && !allowed.includes(folderOf(target));
    });
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('names no component in what all components share', () => {
    const wrong = imports
      .filter(({ file, folder }) => shared.includes(folder) && !isOfComponent(file))
      .filter(({ target }) => isOfComponent(target));
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('names nothing of a component in HTTP', () => {
    const unsaid = /\/\*[^]*?\*\/|\/\/.*|Ledger Platform API|A ledger over one event log/g; // Comments, and the product.
    const wrong = files
      .filter(({ folder }) => folder === 'http')
      .filter(({ text }) =>
        /ledger|organization|account|transaction|balance/i.test(text.replace(unsaid, '')),
      );
    expect(wrong.map(({ file }) => file)).to.deep.equal([]);
  });

  it('lets commands wait for something only in their processes and their API', () => {
    const wrong = files.filter(
      ({ folder, text }) => folder === 'commands' && /\bawait\b/.test(text),
    );
    expect(wrong.map(({ file }) => file)).to.deep.equal([]);
  });

  it('keeps the decider of one slice out of the others', () => {
    const slice = (file: string) => /^commands\/[^/]+\/[^/]+\//.exec(file)?.[0];
    const wrong = imports
      .filter(
        ({ folder, target }) =>
          folder !== 'commands/api' && /^commands\/.*\/(decider|open-account)\.ts$/.test(target),
      )
      .filter(({ file, target }) => slice(file) && slice(file) !== slice(target));
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('imports siblings by ./name.ts and everything else by #root/name.ts', () => {
    const ours = imports.filter(({ path }) => /^[.#]/.test(path));
    const wrong = ours.filter(
      ({ path }) => !/^(\.|#\w+)\/[^.].*(\.ts|\/(examples|samples)\.json)$/.test(path),
    );
    expect(wrong.map(({ says }) => says)).to.deep.equal([]);
  });

  it('reads the data of stored events in both versions of its schema', () => {
    const mayParse = [
      ...['src/kernel/event-data.ts', 'src/kernel/compact-form.ts'],
      'src/kernel/scan-posting.ts', // It reads the end of a compact posting.
      'src/events/ledger/recorded-transaction.ts', // It reads both.
      'src/adapters/eventstoredb/log-id.ts', // It reads an event of its own.
    ];
    const wrong = files
      .filter(({ text }) => /JSON\.parse\((\w+[!?]*\.)*data\b/.test(text))
      .filter(({ file }) => !mayParse.includes(file));
    expect(wrong.map(({ file }) => file)).to.deep.equal([]);
  });

  it('has no import circles', () => {
    const targets = Map.groupBy(imports, ({ file }) => file);
    const done = new Set<string>();
    const circleFrom = (file: string, path: readonly string[]): readonly string[] => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return [];
      for (const { target } of targets.get(file) ?? []) {
        const circle = circleFrom(target, [...path, file]);
        if (circle.length > 0) return circle;
      }
      done.add(file);
      return [];
    };
    const circle = files.map(({ file }) => circleFrom(file, [])).find(({ length }) => length > 0);
    expect(circle ?? []).to.deep.equal([]);
  });

  it('has no barrels', () => {
    const passedOn = /^(import|export)\s[^;'"]*\sfrom\s+'[^']*';|\/\*[^]*?\*\/|\/\/.*/gm;
    const barrels = files.filter(({ text }) => !text.replace(passedOn, '').trim());
    expect(barrels.map(({ file }) => file)).to.deep.equal([]);
  });
});

/**
 * `src/kernel/ids.ts` → `kernel`, `src/adapters/kafka/…` → `adapters/kafka`, `commands/ledger/api/…` → `commands/api`,
 * `commands/ledger/account/…` → `commands`; a package is its own.
 */
function folderOf(path: string): string {
  const part = /^commands\/[^/]+\/(api|processes)\//.exec(path)?.[1];
  if (part !== undefined) return `commands/${part}`;
  return /^(src\/)?((adapters\/|@[^/]+\/)?[^/]+)/.exec(path.replace(/\.ts$/, ''))?.[2] ?? path;
}
