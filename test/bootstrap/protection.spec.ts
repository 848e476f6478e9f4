import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProtection } from '#src/bootstrap/protection.ts';
import type { ProtectionSettings } from '#src/bootstrap/protection-settings.ts';
import { createSecrets } from '#src/bootstrap/secrets.ts';
import type { Protection } from '#src/components/component.ts';
import { systemClock } from '#src/adapters/system.ts';
import { recordSecretName } from '#src/kernel/record-secret.ts';
import { Damaged } from '#src/ports/errors.ts';
import type { ProtectedRecord } from '#src/ports/record-keys.ts';
import { dataFolders, newUuid } from '#test/contracts/samples.ts';
import { until } from '#test/support/until.ts';

describe('protection in a data folder', () => {
  const newFolder = dataFolders();

  /** A process on the folder. */
  const inProcess = async <Result>(
    dataDir: string,
    work: (protection: Protection, warnings: string[]) => Promise<Result>,
    settings: ProtectionSettings = UNSET,
  ): Promise<Result> => {
    const places = { eventStoreUrl: 'embedded:', readStoreUrl: 'embedded:', dataDir };
    const warnings: string[] = [];
    const secrets = createSecrets(places);
    const role = createProtection({
      ...{ settings, places, secrets, clock: systemClock },
      warn: (message) => warnings.push(message),
    });
    try {
      return await work(await role.open(), warnings);
    } finally {
      await role.close();
      await secrets.close();
    }
  };
  const newRecord = (): ProtectedRecord => ({
    tenantId: 'default',
    organizationId: newUuid(),
    recordId: newUuid(),
  });
  const create = async ({ keys }: Protection, record: ProtectedRecord) => {
    const created = await keys.create(record, { tokens: [], claims: [] });
    if (created.taken !== undefined) throw new Error('taken');
    return created.key;
  };

  it('creates keys that only the owner can read, warns, and finds them again', async () => {
    const dir = newFolder();
    const record = newRecord();
    const sealed = await inProcess(dir, async (protection, warnings) => {
      expect(warnings.join()).to.include(join(dir, 'keys'));
      return (await create(protection, record)).seal('name', 'Ada');
    });
    expect(statSync(join(dir, 'keys')).mode & 0o777).to.equal(0o600);
    await inProcess(dir, async ({ keys }, warnings) => {
      expect(warnings).to.deep.equal([]);
      expect((await keys.open(record))?.open('name', sealed)).to.equal('Ada');
    });
  });

  it('wraps keys again at a start after the environment key was replaced', async () => {
    const dir = newFolder();
    const record = newRecord();
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const over = (newest: Uint8Array, ...previous: Uint8Array[]) => ({
      wrapping: { is: 'environment' as const, current: newest, previous },
      hashKey: old,
    });
    await inProcess(dir, (protection) => create(protection, record), over(old));
    const before = wrappedIn(dir, record);
    await inProcess(
      dir,
      async () => until(() => wrappedIn(dir, record) !== before, 20_000, 'a key is wrapped again'),
      over(current, old),
    );
    await inProcess(
      dir,
      async ({ keys }, warnings) => {
        expect(await keys.open(record)).to.not.equal(undefined);
        expect(warnings).to.deep.equal([]);
      },
      over(current),
    );
    expect(readdirSync(dir)).to.not.include('keys');
  });

  it('makes no new keys for a folder that lost them', async () => {
    const dir = newFolder();
    await inProcess(dir, (protection) => create(protection, newRecord()));
    rmSync(join(dir, 'keys'));
    const error = await inProcess(dir, async () => 'open').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Damaged);
    expect(readdirSync(dir)).to.not.include('keys');
  });

  for (const text of ['', 'CRM_ENCRYPT_SECRET_KEY=12', `CRM_HASH_SECRET_KEY=${'a'.repeat(64)}`]) {
    it(`refuses a damaged file of keys: ${text.slice(0, 25)}`, async () => {
      const dir = newFolder();
      writeFileSync(join(dir, 'keys'), text);
      const error = await inProcess(dir, async () => 'open').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Damaged);
      expect(readFileSync(join(dir, 'keys'), 'utf8')).to.equal(text);
    });
  }

  it('leaves no byte of an erased person in any file, while a twin is found', async () => {
    const dir = newFolder();
    const organizationId = newUuid();
    const scope = { tenantId: 'default', organizationId };
    const people = Array.from({ length: 40 }, (_, n) => ({
      record: { ...scope, recordId: newUuid() },
      document: `9131502601${n}`,
    }));
    await inProcess(dir, async ({ keys, index }) => {
      const traces = new Map<string, readonly string[]>();
      for (const { record, document } of people) {
        const [token, unique] = await keys.tokens(scope, [
          { field: 'document', value: document },
          { field: 'holder.document', value: document },
        ]);
        await keys.create(record, { tokens: [token!], claims: [{ token: unique! }] });
        traces.set(record.recordId, [token!, unique!, wrappedIn(dir, record)]);
      }
      const left = (of: ProtectedRecord) =>
        traces
          .get(of.recordId)!
          .filter((trace) =>
            readdirSync(dir).some((file) => readFileSync(join(dir, file)).includes(trace)),
          );
      const [{ record: erased }, { record: twin }] = [people[17]!, people[18]!];
      expect(left(erased)).to.have.length(3);
      await keys.destroy(erased);
      expect(left(erased)).to.deep.equal([]);
      expect(left(twin)).to.have.length(3);
      const [token] = traces.get(twin.recordId)!;
      expect(await index.find(organizationId, token!, { limit: 2 })).to.have.length(1);
    });
  });
});

const UNSET: ProtectionSettings = {
  wrapping: { is: 'environment', current: undefined, previous: [] },
  hashKey: undefined,
};

/** Reads the wrapped key of a record from the bytes of the files. */
function wrappedIn(dir: string, { organizationId, recordId }: ProtectedRecord): string {
  const name = recordSecretName(organizationId, recordId);
  for (const file of readdirSync(dir)) {
    const text = readFileSync(join(dir, file)).toString('latin1');
    const [, wrapped] = new RegExp(`${name}[^]{0,120}?(environment:\\w+:[\\w-]+)`).exec(text) ?? [];
    if (wrapped !== undefined) return wrapped;
  }
  throw new Error(`No file has the key of ${name}`);
}
