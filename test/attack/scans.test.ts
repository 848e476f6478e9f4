import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PAGE_BYTES } from '#src/ports/page.ts';
import { oneTransfer, serveReads, writeTransactions } from '#test/support/scan-world.ts';
import { until } from '#test/support/until.ts';

/** On each side of each of them. */
const TRANSACTIONS = Number(process.env['SCAN_TRANSACTIONS'] ?? 200_000);
const LONG_TRANSACTIONS = 120;

type List = Readonly<{ items: unknown[]; next_cursor?: string }>;
type Served = Awaited<ReturnType<typeof serveReads>>;

/** No operation has this, and only a body that was parsed shows it: all have a number there. */
const FINDS_NOTHING = 'metadata.channel=8&limit=100';

describe('long scans', function () {
  this.timeout(600_000);
  let dir: string;
  let served: Served;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quipu-scans-'));
    await writeTransactions(dir, TRANSACTIONS);
    served = await serveReads(dir);
  });
  after(async () => {
    await served.close();
    rmSync(dir, { recursive: true });
  });

  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${String(served.port)}${path}`);
    return { status: response.status, list: (await response.json()) as List };
  };
  const timed = async (path: string) => {
    const sinceMs = performance.now();
    const { status, list } = await get(path);
    return { status, list, tookMs: performance.now() - sinceMs };
  };

  it('answer in time with what they have, and come to the end page by page', async () => {
    let pages = 0;
    for (let cursor: string | undefined; ;) {
      const more = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { status, list, tookMs } = await timed(`${served.operations}?${FINDS_NOTHING}${more}`);
      expect([status, list.items]).to.deep.equal([200, []]);
      expect(tookMs).to.be.below(ANSWER_MS);
      pages += 1;
      cursor = list.next_cursor;
      if (cursor === undefined) break;
    }
    expect(pages).to.be.above(1);
  });

  it('do not make other lists fail, nor wait for more than a moment, ten at once', async () => {
    const over = performance.now() + 5000;
    const scanning = Array.from({ length: 10 }, async () => {
      const statuses = new Set<number>();
      while (performance.now() < over) {
        statuses.add((await get(`${served.operations}?${FINDS_NOTHING}`)).status);
      }
      return [...statuses];
    });
    const tookMs: number[] = [];
    while (performance.now() < over) {
      const page = await timed(`${served.transactions}?limit=10`);
      expect([page.status, page.list.items.length]).to.deep.equal([200, 10]);
      tookMs.push(page.tookMs);
    }
    tookMs.sort((a, b) => a - b);
    expect(await Promise.all(scanning)).to.deep.equal(scanning.map(() => [200]));
    expect(tookMs.at(tookMs.length >> 1)).to.be.below(100);
    expect(tookMs.at(-1)).to.be.below(ANSWER_MS);
  });

  it('end when their callers go', async () => {
    const sockets: Socket[] = [];
    for (let n = 0; n < 20; n += 1) {
      const socket = connect(served.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`GET ${served.operations}?${FINDS_NOTHING} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      sockets.push(socket);
    }
    const working = process.cpuUsage();
    await until(() => process.cpuUsage(working).user > 100_000, 60_000, 'the scans are under way');
    for (const socket of sockets) socket.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Twenty scans are ten seconds of work; nobody works on them now.
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).to.be.below(150);
  });
});

describe('pages that nobody reads', function () {
  this.timeout(600_000);
  let dir: string;
  let served: Served;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quipu-pages-'));
    const keys = Array.from({ length: 100 }, (_, n) => [`key ${String(n)}`, 'x'.repeat(4000)]);
    const metadata = Object.fromEntries(keys) as Record<string, string>;
    await writeTransactions(dir, LONG_TRANSACTIONS, (n) => ({ ...oneTransfer(n), metadata }));
    served = await serveReads(dir);
  });
  after(async () => {
    await served.close();
    rmSync(dir, { recursive: true });
  });

  it('hold some megabytes each, however long their records are', async () => {
    const before = process.memoryUsage().rss;
    const sockets: Socket[] = [];
    let begun = 0;
    for (let n = 0; n < 37; n += 1) {
      const socket = connect(served.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`GET ${served.transactions}?limit=100 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      socket.once('data', (head) => {
        if (head.toString().startsWith('HTTP/1.1 200')) begun += 1;
        socket.pause();
      });
      sockets.push(socket);
    }
    await until(() => begun === sockets.length, 240_000, 'every page has begun');
    const grown = process.memoryUsage().rss - before;
    for (const socket of sockets) socket.destroy();
    expect(grown).to.be.below(sockets.length * PAGE_BYTES * 3);
  });

  it('show every record once when they are read', async () => {
    const ids = new Set<string>();
    for (let cursor: string | undefined; ;) {
      const more = cursor === undefined ? '' : `&cursor=${cursor}`;
      const url = `http://127.0.0.1:${String(served.port)}${served.transactions}?limit=100${more}`;
      const list = (await (await fetch(url)).json()) as List;
      for (const item of list.items) ids.add((item as { id: string }).id);
      cursor = list.next_cursor;
      if (cursor === undefined) break;
    }
    expect(ids.size).to.equal(LONG_TRANSACTIONS);
  });
});

/** Of which most is for a machine that does much else. */
const ANSWER_MS = 5000;
