import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { foldLog } from '#src/adapters/embedded/log-copy.ts';
import { openLogFile, type Numbered } from '#src/adapters/embedded/log-file.ts';
import { systemClock, systemIds } from '#src/adapters/system.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import { createDeadLetters } from '#commands/streaming/processes/keep-dead-letter.ts';
import { createTenantRegister } from '#commands/tenants/processes/tenant-register.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { createOrganization, made, openBook } from '#test/e2e/books.ts';
import { volumeOf } from '#test/e2e/billing-books.ts';
import { fee, packageOf } from '#test/e2e/fee-books.ts';
import { userNamed } from '#test/support/access.ts';
import { appendEvent } from '#test/support/append-event.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { ADMIN, FIRST_ACCESS, LOGIN, type Tokens } from '#test/support/local-access.ts';
import { chanceOf, seedOfRun, type Chance } from '#test/support/random.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { playDay } from '#test/upgrades/day.ts';

const SEED = seedOfRun(20_261_121);
const IN_MEMORY = 4000;
const IN_FILES = 12;
const COLUMNS = ['id', 'type', 'data', 'metadata'] as const;

describe('one flipped byte of a stored event', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const kept = join(folder, 'kept');
  const journals = new Map<string, Numbered[]>();
  let events: readonly Numbered[] = [];

  before(async () => {
    mkdirSync(kept);
    const server = await startServer({ dataDir: kept, env: FIRST_ACCESS });
    const client = clientOf(() => server);
    await playDay(client);
    await subscribeForAWhile(client);
    await manageAccessForAWhile(server, client);
    await chargeForAWhile(client);
    const organizationId = await knowPersonsForAWhile(client);
    await linkForAWhile(client);
    client.close();
    await stopServer(server);
    await interruptCreation(kept, organizationId);
    await appendEvent(kept, 'access-default', 'UserRevoked', { userId: systemIds().next() });
    await undoClosing(kept, organizationId);
    await replayOnce(kept);
    await giveUpARecord(kept);
    await serveTenants(kept);
    foldLog(kept);
    const log = openLogFile(kept);
    events = log.slice(1, log.last());
    log.close();
    for (const event of events) {
      journals.set(event.stream, [...(journals.get(event.stream) ?? []), event]);
    }
  });
  after(() => removeFolder(folder));

  it('may stand in an event of any type there is', () => {
    const golden = JSON.parse(
      readFileSync(join(import.meta.dirname, '..', 'events', 'golden.json'), 'utf8'),
    ) as Readonly<Record<string, readonly Readonly<{ type: string }>[]>>;
    const declared = new Set(Object.values(golden).flatMap((list) => list.map(({ type }) => type)));
    expect(events.map(({ type }) => type)).to.include.members([...declared]);
  });

  it(`is found at that very event, ${IN_MEMORY} times over`, () => {
    const chance = chanceOf(SEED);
    const seen = new Set<string>();
    for (let n = 0; n < IN_MEMORY; n += 1) {
      const { event, column, flipped, where } = flip(chance);
      const verifier = createJournalVerifier(audit, event.stream);
      let found;
      for (const one of journals.get(event.stream)!) {
        found = verifier.take(one === event ? { ...event, [column]: flipped } : one);
        if (found !== undefined) break;
      }
      expect(found, where).to.include({ journal: event.stream, revision: event.revision });
      seen.add(`${event.type} ${column}`);
    }
    expect(seen.size).to.equal(new Set(events.map(({ type }) => type)).size * COLUMNS.length);
  });

  it(`is found in the file by the command line, ${IN_FILES} times over`, async () => {
    const chance = chanceOf(SEED + 1);
    const bytes = readFileSync(join(kept, 'log.db'));
    const cases = Array.from({ length: IN_FILES }, (_, n) => ({ n, ...flip(chance) }));
    const one = async ({ n, event, column, at, bits, where }: (typeof cases)[number]) => {
      const record = Buffer.from(event.id + event.type + event.data + event.metadata);
      const before = COLUMNS.slice(0, COLUMNS.indexOf(column)).map((name) => event[name]);
      const changed = Buffer.from(bytes);
      const place = Buffer.byteLength(before.join('')) + at;
      let copies = 0;
      // Pages keep the bytes of records that have moved: the live one is among those found.
      for (let from = bytes.indexOf(record); from >= 0; from = bytes.indexOf(record, from + 1)) {
        changed[from + place]! ^= bits;
        copies += 1;
      }
      expect(copies, 'records in the file').to.be.above(0);
      const dir = join(folder, `flip ${n}`);
      mkdirSync(dir);
      writeFileSync(join(dir, 'log.db'), changed);
      const said = await quipu(['verify', dir]);
      expect(said, where).to.include({ code: 1, stderr: '' });
      const start = `Different: ${event.stream} revision ${event.revision}, event `;
      expect(said.stdout.slice(0, start.length), where).to.equal(start);
    };
    while (cases.length > 0) await Promise.all(cases.splice(0, 4).map(one));
    cpSync(kept, join(folder, 'untouched'), { recursive: true });
    expect((await quipu(['verify', join(folder, 'untouched')])).code).to.equal(0);
  });

  async function subscribeForAWhile(client: Client): Promise<void> {
    const subscription = { name: 'Books', target: { kind: 'pull' } };
    const { id } = (await client.post('/v1/subscriptions', subscription)).json() as { id: string };
    const at = `/v1/subscriptions/${id}`;
    expect((await client.patch(at, { name: 'Audit' })).status).to.equal(200);
    expect((await client.delete(at)).status).to.equal(204);
  }

  /** A user and an application that come and go. */
  async function manageAccessForAWhile(server: Server, visitor: Client): Promise<void> {
    const login = { grantType: 'password', ...ADMIN };
    const { accessToken } = (await visitor.post(LOGIN, login)).json() as Tokens;
    const headers = { Authorization: `Bearer ${accessToken}` };
    const client = clientOf(() => server, { headers: () => headers });
    const { id } = await made<{ id: string }>(client, '/v1/users', userNamed('ana.lima'));
    const at = `/v1/users/${id}`;
    expect((await client.patch(at, { firstName: 'Ana' })).status).to.equal(200);
    const reset = { newPassword: 'Another-Horse-8' };
    expect((await client.patch(`${at}/reset-password`, reset)).status).to.equal(200);
    expect((await client.delete(at)).status).to.equal(204);
    const application = await made<{ id: string }>(client, '/v1/applications', { name: 'routing' });
    expect((await client.delete(`/v1/applications/${application.id}`)).status).to.equal(204);
    client.close();
  }

  async function chargeForAWhile(client: Client): Promise<void> {
    const { org, ledger } = await openBook(client, { accounts: ['@fees'] });
    const at = `/v2/organizations/${org}/ledgers/${ledger}/packages`;
    const { ledgerId: _, ...body } = packageOf(ledger, { fees: { adm: fee() } });
    const { id } = await made<{ id: string }>(client, at, body);
    expect((await client.patch(`${at}/${id}`, { enable: false })).status).to.equal(200);
    expect((await client.delete(`${at}/${id}`)).status).to.equal(204);
    await billForAWhile(client, `/v2/organizations/${org}/ledgers/${ledger}/billing-packages`);
  }

  async function billForAWhile(client: Client, at: string): Promise<void> {
    const { id } = await made<{ id: string }>(client, at, volumeOf());
    expect((await client.patch(`${at}/${id}`, { enable: false })).status).to.equal(200);
    expect((await client.delete(`${at}/${id}`)).status).to.equal(204);
  }

  /** The holder that remains. */
  let staying = '';
  async function knowPersonsForAWhile(client: Client): Promise<string> {
    const { id: organizationId } = await createOrganization(client);
    const at = `/v2/organizations/${organizationId}/holders`;
    const person = { type: 'NATURAL_PERSON', name: 'Ana', document: '91315026015' };
    const { id } = await made<{ id: string }>(client, at, person);
    staying = (await made<{ id: string }>(client, at, { ...person, document: '2' })).id;
    expect((await client.patch(`${at}/${id}`, { name: 'Ana Lima' })).status).to.equal(200);
    expect((await client.delete(`${at}/${id}`)).status).to.equal(204);
    expect((await client.delete(`${at}/${id}?hard_delete=true`)).status).to.equal(204);
    const asked = { actor: 'ops', reason: 'onboarding' };
    await made(client, `/v2/organizations/${organizationId}/encryption/provision`, asked);
    return organizationId;
  }

  /** Links an account until it is erased. */
  async function linkForAWhile(client: Client): Promise<void> {
    const book = await openBook(client, { assets: ['BRL'], accounts: ['@linked'] });
    const at = `/v2/organizations/${book.org}/holders`;
    const person = { type: 'NATURAL_PERSON', name: 'Rita', document: '1' };
    const { id } = await made<{ id: string }>(client, at, person);
    const { items } = (await client.get(`${book.at}/accounts`)).json() as {
      items: readonly { id: string; alias: string }[];
    };
    const accountId = items.find(({ alias }) => alias === '@linked')?.id;
    const party = { document: '2', name: 'Ana', role: 'PRIMARY_HOLDER', startDate: '2026-01-05' };
    const body = {
      ...{ ledgerId: book.ledger, accountId, relatedParties: [party] },
      bankingDetails: { branch: '1', account: '2' },
    };
    const instrument = await made<{ id: string; relatedParties: readonly { id: string }[] }>(
      client,
      `${at}/${id}/instruments`,
      body,
    );
    const one = `${at}/${id}/instruments/${instrument.id}`;
    const change = { bankingDetails: { iban: '3' } };
    expect((await client.patch(one, change)).status).to.equal(200);
    const related = `${one}/related-parties/${instrument.relatedParties[0]?.id ?? ''}`;
    for (const path of [related, one, `${one}?hard_delete=true`]) {
      expect((await client.delete(path)).status).to.equal(204);
    }
  }

  /** Appends what only a crash yields: a creation took over the document of one that was interrupted. */
  async function interruptCreation(dir: string, organizationId: string): Promise<void> {
    const revocation = { organizationId, holderId: systemIds().next() };
    await appendEvent(dir, `registry-${organizationId}`, 'HolderRevoked', revocation);
  }

  /** A holder that closes and stays: an account was opened in between, which only a race yields. */
  async function undoClosing(dir: string, organizationId: string): Promise<void> {
    const holderId = staying;
    const registry = `registry-${organizationId}`;
    const begunAt = formatInstant(systemClock.now());
    const closing = { organizationId, holderId, deletion: 'soft', begunAt };
    await appendEvent(dir, registry, 'HolderClosingBegun', { closing });
    await appendEvent(dir, registry, 'HolderClosingUndone', { organizationId, holderId });
  }

  /** Appends the events of a replay, because replays need a broker. */
  async function replayOnce(dir: string): Promise<void> {
    const now = formatInstant(systemClock.now());
    const window = { from: now, to: now, keys: ['account.created'] };
    const replay = {
      ...{ id: systemIds().next(), ...window, status: 'pending' },
      ...{ createdAt: now, updatedAt: now, deletedAt: null },
    };
    await appendEvent(dir, 'streaming-default', 'ReplayCreated', { replay });
    const completed = { ...replay, status: 'completed' };
    const update = { replay: completed, changed: ['status'] };
    await appendEvent(dir, 'streaming-default', 'ReplayUpdated', update);
  }

  /** What a relay leaves in its journal. */
  async function giveUpARecord(dir: string): Promise<void> {
    const store = await openEmbeddedEventStore(dir, {
      ids: systemIds(),
      onFatal: (error) => {
        throw error;
      },
    });
    const id = systemIds().next();
    await createDeadLetters(store, systemClock)('default', {
      topic: 'quipu.streaming.ledger_balance.changed',
      ceId: id,
      event: { journal: events[0]?.stream ?? '', revision: 0, id },
      errorClass: 'serialization_error',
      message: 'The payload exceeds 1048576 bytes',
      firstFailureAt: formatInstant(systemClock.now()),
    });
    await store.close();
  }

  /** What several tenants leave beside their data. */
  async function serveTenants(dir: string): Promise<void> {
    const ids = systemIds();
    const store = await openEmbeddedEventStore(dir, {
      ids,
      onFatal: (error) => {
        throw error;
      },
    });
    const { submit } = createTenantRegister(store, { clock: systemClock, ids });
    const operator = { type: 'system', id: 'command line' };
    for (const type of ['NameDefaultTenant', 'UseTenant', 'SuspendTenant'] as const) {
      await submit({ type, id: 'acme' }, operator);
    }
    await store.close();
  }

  /** Some bits of some byte of some column of some event, the rare types as often as the others. */
  function flip({ pick, int }: Chance) {
    const type = pick([...new Set(events.map((event) => event.type))]);
    const event = pick(events.filter((one) => one.type === type));
    const column = pick(COLUMNS);
    const bytes = Buffer.from(event[column]);
    const at = int(0, bytes.length - 1);
    const bits = int(1, 255);
    bytes[at]! ^= bits;
    const where = `${event.stream} ${event.revision} ${column} byte ${at} ^ ${bits}`;
    return { event, column, at, bits, flipped: bytes.toString(), where };
  }
});
