import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { catalog } from '#src/bootstrap/refusals.ts';
import { statuses } from '#src/http/problem.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { slugOf } from '#src/http/pages/reference.ts';
import { isOpen, permissionText } from '#src/kernel/permission.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import {
  removeFolder,
  sharedServer,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import { mediaType, openBook, transfer } from './books.ts';
import { expectProblem, type Problem } from './problems.ts';

describe('pages for people', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  const page = async (path: string, status = 200): Promise<Answer> => {
    const answer = await client.get(path);
    expect(answer.status, path).to.equal(status);
    expect(mediaType(answer)).to.equal('text/html');
    return answer;
  };

  /** The pages of the reference, by the operations that are on them. */
  const groupPages = Map.groupBy(routes, ({ tag }) => `/docs/${slugOf(tag)}`);
  const everyPage = ['/docs', '/docs/schemas', ...groupPages.keys()];

  describe('/docs', () => {
    it('lists every operation, and shows the guides of the description', async () => {
      const text = plain(await page('/docs'));
      for (const { operationId, method, summary, tag } of routes) {
        expect(text).to.contain(`id="${operationId}"`).and.to.contain(`>${method.toUpperCase()}<`);
        expect(text)
          .to.contain(`href="/docs/${slugOf(tag)}#${operationId}"`)
          .and.to.contain(summary);
      }
      expect(text).to.match(/<h2 id="guide-idempotency">Idempotency<\/h2><p>Creations/);
    });

    it('shows every operation on the page of its group: method, path, summary, permission, samples', async () => {
      for (const [path, operations] of groupPages) {
        const text = plain(await page(path));
        for (const { operationId, method, path: template, summary, permission } of operations) {
          const from = text.indexOf(`<article class="operation" id="${operationId}"`);
          const section = text.slice(from, text.indexOf('</article>', from));
          expect(section).to.contain(`>${method.toUpperCase()}<`).and.to.contain(`>${template}<`);
          expect(section).to.contain(summary).and.to.contain('curl').and.to.contain('client.');
          const needs = `needs <code>${permissionText(permission)}</code>`;
          if (isOpen(permission)) expect(section).not.to.contain('needs <code>');
          else expect(section).to.contain(needs);
        }
      }
    });

    it('links only to what is there', async () => {
      const texts = new Map<string, string>();
      for (const path of everyPage) texts.set(path, plain(await page(path)));
      const links = new Set<string>();
      for (const [from, text] of texts) {
        for (const [, href = ''] of text.matchAll(/href="((?:\/|#)[^"]*)"/g)) {
          links.add(href.startsWith('#') ? from + href : href);
        }
      }
      expect(links.size).to.be.above(700);
      const others = new Set<string>();
      for (const link of links) {
        const [path = '', anchor] = link.split('#');
        if (anchor === undefined || !texts.has(path)) others.add(path);
        if (anchor !== undefined) expect(texts.get(path), link).to.contain(`id="${anchor}"`);
      }
      for (const path of others) expect((await client.get(path)).status, path).to.equal(200);
    });

    it('has no id twice on a page', async () => {
      for (const path of everyPage) {
        const ids = Array.from(plain(await page(path)).matchAll(/ id="([^"]+)"/g), ([, id]) => id);
        expect(new Set(ids), path).to.have.lengthOf(ids.length);
      }
    });

    it('/search.json finds operations by members of their requests, and leads only to what is there', async () => {
      const { json } = await client.get('/docs/search.json');
      const entries = json() as [string, string, string, string, string?][];
      const creation = entries.find(
        ([, , , href]) => href === '/docs/organizations#createOrganization',
      );
      expect(creation?.slice(0, 3)).to.deep.equal([
        'POST',
        'Create an organization',
        '/v1/organizations',
      ]);
      expect(creation?.[4]?.split(' ')).to.include.members(['createOrganization', 'legalName']);
      expect(entries.filter(([, , , href]) => href.includes('#create')).length).to.be.above(50);
      const paths = new Set(entries.map(([, , , href]) => href.split('#')[0] ?? ''));
      for (const path of paths) expect((await client.get(path)).status, path).to.equal(200);
    });
  });

  describe('every page', () => {
    for (const path of [
      '/docs',
      '/docs/accounts',
      '/docs/schemas',
      '/docs/errors',
      '/docs/errors/LDG-0018',
    ]) {
      it(`${path} needs nothing from elsewhere, and its policy says so`, async () => {
        const { headers, text } = await page(path);
        const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
        const hash = createHash('sha256').update(style).digest('base64');
        const policy = String(headers['content-security-policy']);
        expect(policy)
          .to.match(/^default-src 'none';/)
          .and.to.contain(`style-src 'sha256-${hash}'`);
        expect(policy).to.contain("; script-src 'self'; connect-src 'self'; ");
        expect(policy).not.to.match(/unsafe|https?:|\*/);
        expect(headers).to.include({ 'x-content-type-options': 'nosniff' });
        expect(text).not.to.match(/<(iframe|img|object)\b| on\w+=| style=| action=/i);
        const scripts = Array.from(text.matchAll(/<script[^>]*>[^<]*/g), ([script]) => script);
        expect(scripts).to.have.lengthOf(1);
        const [, source = ''] = /^<script type="module" src="(\/docs\/scripts\/\w+\/main\.js)">$/.exec(scripts[0]!) ?? []; // prettier-ignore
        const script = await client.get(source);
        expect(script.status).to.equal(200);
        expect(script.headers).to.include({
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
        });
        expect(text).not.to.match(/(src|href)="(https?:)?\/\//);
        expect(text).to.contain('name="viewport"').and.to.contain('prefers-color-scheme: dark');
      });
    }

    it('answers HEAD with its length alone, and a trailing slash as none', async () => {
      const { text } = await page('/docs/');
      const head = await client.send({ method: 'HEAD', path: '/docs' });
      expect(head).to.include({ status: 200, text: '' });
      expect(head.headers['content-length']).to.equal(String(Buffer.byteLength(text)));
    });
  });

  describe('/docs/errors', () => {
    it('lists every code with its status, title and meaning', async () => {
      const text = plain(await page('/docs/errors'));
      for (const { code, kind, title, means } of Object.values(catalog)) {
        const at = text.indexOf(`href="/docs/errors/${code}"`);
        const row = text.slice(at, text.indexOf('</tr>', at));
        expect(row, code).to.contain(`>${statuses[kind]}<`).and.to.contain(`>${title}<`);
        expect(asMarkdown(row)).to.contain(means);
      }
    });

    for (const { code, kind, title, means, detail } of Object.values(catalog)) {
      it(`/${code} tells what it means, who gives it, and shows a document`, async () => {
        const text = plain(await page(`/docs/errors/${code}`));
        expect(text).to.contain(`<h1>${title}</h1>`).and.to.contain(`>${statuses[kind]}`);
        expect(means).to.match(/^\w.{20,}\.$/);
        expect(asMarkdown(text)).to.contain(means);
        expect(text).to.contain('Which operations give it');
        const [, sample = ''] = /<pre>([^]*?)<\/pre>/.exec(text) ?? [];
        const problem = JSON.parse(sample) as Problem;
        const said = { type: 'about:blank', title, status: statuses[kind], detail, code };
        expect(problem).to.deep.include({ ...said, message: detail });
      });
    }

    it('names the operations that give a code, and says when it is any or none', async () => {
      const funds = plain(await page('/docs/errors/LDG-0018'));
      expect(funds).to.contain('href="/docs/transactions#createTransactionJson"');
      expect(funds).not.to.contain('#createAccount"');
      expect(plain(await page('/docs/errors/LDG-0540'))).to.contain('Any of them.');
      expect(plain(await page('/docs/errors/LDG-0497'))).to.contain('None of this release');
    });

    it('takes a code in any letter case, with its prefix or as the bare number of old', async () => {
      const { text } = await page('/docs/errors/LDG-0018');
      for (const code of ['0018', 'ldg-0018', 'Ldg-0018', 'ldg-0018/']) {
        expect((await page(`/docs/errors/${code}`)).text).to.equal(text);
      }
      expect((await page('/docs/errors/crm-0006')).text).to.contain('Holder not found');
    });

    for (const code of [
      '9999',
      'LDG-9999',
      '0006',
      '18',
      'CRM-9999',
      '%3Cb%3E',
      'toString',
      '%20',
    ]) {
      it(`/${code} is nowhere`, async () => {
        const { text } = await page(`/docs/errors/${code}`, 404);
        expect(text).to.contain('No such error').and.not.to.contain('<b>');
      });
    }

    it('leaves what is no page to the route table', async () => {
      expectProblem(await client.get('/docs/errors/LDG-0018/more'), 404, 'LDG-0484');
      expectProblem(await client.get('/docs/nothing'), 404, 'LDG-0484');
      const posted = await client.post('/docs/errors/LDG-0018', {});
      expectProblem(posted, 405, 'LDG-0485');
      expect(posted.headers.allow).to.equal('GET, HEAD');
    });
  });

  it('stand in for those of ERROR_DOCS_BASE_URL, whose links carry the same codes', async function () {
    this.timeout(60_000);
    const base = 'https://docs.example/quipu/errors';
    const server = await startServer({ env: { ERROR_DOCS_BASE_URL: `${base}/` } });
    const linked = clientOf(() => server);
    try {
      const book = await openBook(linked, { accounts: ['@alice', '@bob'] });
      const path = `${book.at}/transactions/json`;
      const refused = await linked.post(path, transfer('@alice', '@bob', '1'));
      const { type } = refused.json() as Problem;
      expect(type).to.equal(`${base}/LDG-0018`);
      const answer = await linked.get(type.replace(base, '/docs/errors'));
      expect(answer.status).to.equal(200);
      expect(answer.text).to.contain('Insufficient funds').and.to.contain(type);
    } finally {
      linked.close();
      await stopServer(server);
      removeFolder(server.dataDir);
    }
  });
});

describe('pages of bare codes', function () {
  this.timeout(60_000);
  let server: Server;
  const client = clientOf(() => server);
  before(async () => {
    const env = { ERROR_CODE_STYLE: 'bare', ERROR_DOCS_BASE_URL: 'https://docs.example' };
    server = await startServer({ env });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it('show what responses carry: the number alone, and other components’ codes whole', async () => {
    const unknown = (await client.get('/v1/nowhere')).json() as Problem;
    expect(unknown).to.include({
      type: 'https://docs.example/0484',
      code: '0484',
      legacyCode: '0484',
    });
    const page = await client.get('/docs/errors/0018');
    expect(plain(page)).to.contain('"code": "0018"').and.to.contain('https://docs.example/0018');
    expect(page.text).not.to.contain('LDG-');
    expect((await client.get('/docs/errors/LDG-0018')).text).to.equal(page.text);
    const list = (await client.get('/docs/errors')).text;
    expect(list).to.contain('href="/docs/errors/0018"').and.to.contain('CRM-0006');
    expect(list).not.to.contain('LDG-');
    const operations = (await client.get('/docs/transactions')).text;
    expect(operations).to.contain(
      'href="/docs/errors/0018"><code>0018</code> Insufficient funds</a>',
    );
    expect(operations).not.to.contain('LDG-');
    expect((await client.get('/openapi.json')).text).not.to.contain('LDG-');
  });
});

/** The text with its references resolved, and without the places where a line may break. */
const plain = ({ text }: Answer): string =>
  text
    .replaceAll('<wbr>', '')
    .replace(/&#(\d+);/g, (_, number: string) => String.fromCharCode(Number(number)));

const asMarkdown = (text: string): string => text.replaceAll(/<\/?code>/g, '`');
