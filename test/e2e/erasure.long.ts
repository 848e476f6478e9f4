import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { registryDecider } from '#commands/registry/registry.ts';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEmbeddedSnapshotStore } from '#src/adapters/embedded/snapshot-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { HolderRecord } from '#src/events/registry/holder.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import { canonical, fingerprint } from '#src/http/fingerprint.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { Damaged } from '#src/ports/errors.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import { filesBelow, foundIn, formsOf, tracesIn, type Traces } from '#test/support/byte-search.ts';
import { clientOf } from '#test/support/client.ts';
import { newPerson } from '#test/support/person.ts';
import { quipu } from '#test/support/quipu.ts';
import { withRecordKeys } from '#test/support/record-keys.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
  type Server,
} from '#test/support/server.ts';
import { inFolders, storesOf } from '#test/support/stores.ts';
import { createOrganization, got, made, type List } from './books.ts';
import { expectProblem } from './problems.ts';

type Certificate = Readonly<{ id: string; entityId: string; hash: string }>;
type Shown = Readonly<{ id: Uuid; document: string }> & Readonly<Record<string, unknown>>;

/** Every file of the data folder is searched as raw bytes: what SQLite calls deleted counts as found. */
inFolders.describe('an erased holder', function () {
  this.timeout(180_000);

  let server: Server;
  let org = '' as Uuid;
  let copy = '';
  let certificateId = '';
  let certificate: Certificate;
  let victim: Shown;
  let twin: Shown;
  const plain = { victim: newPerson('victim'), twin: newPerson('twin') };
  const traces: Record<'victim' | 'twin', Record<string, string>> = { victim: {}, twin: {} };
  const client = clientOf(() => server);
  const at = (rest = '') => `/v2/organizations/${org}/holders${rest}`;
  const record = ({ id }: Shown) => ({ tenantId: 'default', organizationId: org, recordId: id });
  const found = (of: Traces, dir = server.dataDir) => tracesIn(dir, of);

  const restart = async (work?: (dir: string) => Promise<void>): Promise<void> => {
    const { dataDir } = server;
    await stopServer(server);
    await work?.(dataDir);
    server = await startServer({ dataDir, env: STREAMING });
  };

  before(async () => {
    server = await startServer({ env: STREAMING });
    const subscription = {
      name: 'Changes',
      filters: { types: ['holder.updated'] },
      target: { kind: 'pull' },
    };
    const { id: pulled } = await made<{ id: string }>(client, '/v1/subscriptions', subscription);
    org = (await createOrganization(client)).id;
    await createOthers(20);
    victim = await made<Shown>(client, at(), plain.victim.body, { 'X-Idempotency': 'victim' });
    twin = await made<Shown>(client, at(), plain.twin.body, { 'X-Idempotency': 'twin' });
    await createOthers(60);
    for (const [{ id, document }, { body, changes }] of [
      [victim, plain.victim],
      [twin, plain.twin],
    ] as const) {
      const key = { 'X-Idempotency': id === victim.id ? 'victim' : 'twin' };
      expect((await client.post(at(), body, key)).headers['x-idempotency-replayed']).to.equal(
        'true',
      );
      expectProblem(await client.post(at(), body), 409, 'CRM-0010');
      expect((await client.patch(at(`/${id}`), changes)).status).to.equal(200);
      const refused = await client.patch(at(`/${id}`), { ...changes, type: document });
      expectProblem(refused, 400, 'CRM-0007');
      const listed = await got<List<Shown>>(client, at(`?document=${document}`));
      expect(listed.items.map((one) => one.id)).to.deep.equal([id]);
      expect((await client.get(at(`/${id}`))).text).to.include(changes.name);
    }
    const isPulled = async () => {
      const path = `/v1/subscriptions/${pulled}/messages/pull`;
      return (await client.post(path, {})).text.includes(twin.id);
    };
    await until(isPulled, 30_000, 'events about the twin');
    await restart(async (dir) => {
      await snapshotOf(dir, `registry-${org}`);
      copy = copyOf(dir);
      await withRecordKeys(dir, async (keys) => {
        traces.victim = await tracesOf(dir, keys, 'victim');
        traces.twin = await tracesOf(dir, keys, 'twin');
      });
    });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    for (const dir of [server.dataDir, copy]) removeFolder(dir);
  });

  const createOthers = async (count: number): Promise<void> => {
    const names = Array.from({ length: count }, () => randomBytes(8).toString('hex'));
    await Promise.all(
      names.map((name) => made(client, at(), { type: 'LEGAL_PERSON', name, document: name })),
    );
  };

  /** Collects what stands for a person: its texts, tokens, wrapped key, and the hashes of its request. */
  const tracesOf = async (dir: string, keys: RecordKeys, who: 'victim' | 'twin') => {
    const holder = who === 'victim' ? victim : twin;
    const { id, createdAt: _c, updatedAt: _u, deletedAt: _d, ...request } = holder;
    const key = await keys.open(record(holder));
    const hash = key?.fingerprint(canonical(request)) ?? '';
    const created = await creationOf(dir, id);
    expect(key?.open('requestHash', created.requestHash)).to.equal(hash);
    const [token = ''] = await keys.tokens(record(holder), [
      { field: 'document', value: holder.document },
    ]);
    const operations = ['createHolder', 'createHolderV2', 'createHolderByPath'];
    const plainHashes = operations.map((name) => fingerprint(name, plain[who].body));
    return {
      ...plain[who].texts,
      token,
      'wrapped key': wrappedKeyIn(dir, id),
      'request hash': hash,
      ...Object.fromEntries(plainHashes.map((text, n) => [`plain request hash ${n}`, text])),
    };
  };

  const creationOf = async (dir: string, id: Uuid) => {
    const events = await storesOf(dir).events(`registry-${org}`);
    const creations = events
      .filter(({ type }) => type === 'HolderCreated')
      .map(({ data }) => JSON.parse(data) as { holder: HolderRecord; requestHash: string });
    return creations.find(({ holder }) => holder.id === id)!;
  };

  const IN_SECRETS = ['token in secrets.db', 'wrapped key in secrets.db'];

  it('was in the files before, with a twin: only its wrapped key and its token', () => {
    const files = filesBelow(server.dataDir);
    expect(files).to.include.members([
      ...['log.db', 'read.db', 'index.db', 'snapshots.db', 'secrets.db', 'deliveries.db'],
      ...['read.db-wal', 'keys'],
    ]);
    for (const who of ['victim', 'twin'] as const) {
      expect(found(traces[who]), who).to.deep.equal(IN_SECRETS);
    }
  });

  it('is searched for by a search that finds every text in every form', () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, 'below'));
    for (const who of ['victim', 'twin'] as const) {
      for (const [name, text] of Object.entries(traces[who])) {
        for (const form of formsOf(text)) {
          const bytes = Buffer.concat([randomBytes(100), form, randomBytes(100)]);
          expect(foundIn(bytes, { [name]: text }, 'file')).to.deep.equal([`${name} in file`]);
        }
        writeFileSync(join(dir, 'below', 'log'), `{"a":${JSON.stringify(text)}}`);
        expect(found({ [name]: text }, dir)).to.deep.equal([`${name} in below/log`]);
      }
    }
    removeFolder(dir);
  });

  it('is found in no file while the server runs, and its twin is', async () => {
    const answer = await client.delete(at(`/${victim.id}?hard_delete=true`));
    expect(answer.status, answer.text).to.equal(204);
    expect(found(traces.victim), 'when it is confirmed').to.deep.equal([]);
    expectProblem(await client.get(at(`/${victim.id}?include_deleted=true`)), 404, 'CRM-0006');
    certificateId = String(answer.headers['x-erasure-certificate']);
    const path = `/v2/organizations/${org}/erasure-certificates/${certificateId}`;
    certificate = await got<Certificate>(client, path);
    expect(found(traces.victim), 'when it was read').to.deep.equal([]);
    expect(found(traces.twin)).to.deep.equal(IN_SECRETS);
  });

  it('is not brought back by requests with its data', async () => {
    const replay = await client.post(at(), plain.victim.body, { 'X-Idempotency': 'victim' });
    expectProblem(replay, 404, 'CRM-0006');
    expect(
      (await got<List<Shown>>(client, at(`?document=${victim.document}`))).items,
    ).to.deep.equal([]);
    const refused = await client.post(at(), { ...plain.victim.body, type: 'SOMEONE' });
    expectProblem(refused, 400, 'CRM-0004');
    expect(found(traces.victim)).to.deep.equal([]);
  });

  it('is found in no file after a stop, a snapshot and a start', async () => {
    await restart(async (dir) => {
      await snapshotOf(dir, `registry-${org}`);
      expect(found(traces.victim, dir)).to.deep.equal([]);
    });
    expect(found(traces.victim)).to.deep.equal([]);
    expect(found(traces.twin)).to.deep.equal(IN_SECRETS);
    expect((await client.get(at(`/${twin.id}`))).text).to.include(plain.twin.changes.name);
  });

  it('leaves hashes and chains as they were, which are verified without keys', async () => {
    const stream = `registry-${org}`;
    const earlier = await storesOf(copy).events(stream);
    const events = await storesOf(server.dataDir).events(stream);
    expect(events.slice(0, earlier.length)).to.deep.equal(earlier);
    expect(events.length).to.be.above(earlier.length);
    const { code, stdout, stderr } = await quipu(['verify', server.dataDir]);
    expect(code, stdout + stderr).to.equal(0);
  });

  it('has a certificate that can be compared with an exported, verified journal', async () => {
    const journal = `registry-${org}`;
    const exported = await quipu(['export', server.dataDir, '--journal', journal]);
    const file = join(copy, 'exported');
    writeFileSync(file, exported.stdout);
    const verified = await quipu(['verify', file]);
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
    const line = exported.stdout.split('\n').findLast((one) => one.includes(certificateId));
    expect(line).to.include('HolderErased').and.to.include(certificate.hash);
    expect(certificate).to.include({ id: certificateId, entityId: victim.id });
  });

  it('cannot be decrypted from an earlier copy of the log with any key that is left', async () => {
    const events = (await storesOf(copy).events(`registry-${org}`))
      .map(({ type, data }) => ({ type, data: JSON.parse(data) as unknown }) as RegistryEvent)
      .flatMap(({ data }) => ('holder' in data && 'sealed' in data.holder ? [data.holder] : []));
    const ofVictim = events.filter(({ id }) => id === victim.id);
    const ofTwin = events.filter(({ id }) => id === twin.id);
    expect(ofVictim).to.have.length(2);
    await restart((dir) =>
      withRecordKeys(dir, async (keys) => {
        expect(await keys.open(record(victim))).to.equal(undefined);
        let tried = 0;
        for await (const left of keys.list()) {
          const key = (await keys.open(left))!;
          for (const { sealed } of ofVictim) {
            for (const [field, value] of Object.entries(sealed)) {
              tried += 1;
              expect(() => key.open(field, value)).to.throw(Damaged);
            }
          }
        }
        expect(tried).to.be.above(500);
        const key = (await keys.open(record(twin)))!;
        expect(key.open('name', ofTwin.at(-1)?.sealed.name ?? '')).to.include(
          plain.twin.changes.name,
        );
      }),
    );
  });

  it('is not read by a server on an earlier copy of the log with today’s secrets', async () => {
    await restart(async (dir) => {
      for (const file of ['secrets.db', 'keys']) cpSync(join(dir, file), join(copy, file));
    });
    const restored = await startServer({ dataDir: copy });
    const reader = clientOf(() => restored);
    expectProblem(await reader.get(at(`/${victim.id}`)), 404, 'CRM-0006');
    expect((await reader.get(at(`/${twin.id}`))).text).to.include(plain.twin.changes.name);
    expect((await reader.get(at('?limit=100'))).text).not.to.include(victim.id);
    reader.close();
    await stopServer(restored);
    expect(found(traces.victim, copy)).to.deep.equal([]);
  });
});

const STREAMING = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
};

/** Takes the snapshot of a journal, as a server does after very many events. */
async function snapshotOf(dir: string, journal: string): Promise<void> {
  const store = openEmbeddedLog(dir);
  const snapshots = openEmbeddedSnapshotStore(dir);
  await takeSnapshot(registryDecider, journal, { store, snapshots, scheduler: systemScheduler });
  expect(await snapshots.load(journal))
    .to.have.property('revision')
    .above(80);
  await store.close();
  await snapshots.close();
}

/** Copies the log of a folder, without its secrets. */
function copyOf(dir: string): string {
  const copy = temporaryFolder();
  cpSync(join(dir, 'log.db'), join(copy, 'log.db'));
  return copy;
}

/** Reads the wrapped key of a record, as it is stored. */
function wrappedKeyIn(dir: string, id: Uuid): string {
  const db = new DatabaseSync(join(dir, 'secrets.db'), { readOnly: true });
  try {
    const found = db.prepare('SELECT value FROM secrets WHERE name LIKE ?').get(`%/${id}`);
    const text = Buffer.from(found?.['value'] as Uint8Array).toString();
    return (JSON.parse(text) as { wrapped: string }).wrapped.split(':').at(-1)!;
  } finally {
    db.close();
  }
}
