import { CliError } from './command.ts';
import { isDifference, type EventSource } from './event-source.ts';
import { eventsOfLines } from './source-file.ts';

/** Reads one ledger's journal or, from the URL of a server, the journals of all its ledgers, one after the other. */
export async function* eventsOfUrl(address: string): EventSource {
  if (!URL.canParse(address)) throw new CliError(`${address} is not a URL.`);
  const url = new URL(address);
  if (url.pathname.endsWith('/journal')) {
    const [, ledger] = /\/ledgers\/([^/]+)\/journal$/.exec(url.pathname) ?? [];
    yield* journalAt(url, ledger && `ledger-${ledger}`);
    return;
  }
  const base = url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
  for await (const organization of listed(`${base}/v1/organizations`)) {
    const ledgers = `${base}/v1/organizations/${organization}/ledgers`;
    for await (const ledger of listed(ledgers)) {
      yield* journalAt(new URL(`${ledgers}/${ledger}/journal`), `ledger-${ledger}`);
    }
  }
}

/** Reads a journal; continues a few times if the connection breaks. */
async function* journalAt(url: URL, journal: string | undefined): EventSource {
  let next = Number(url.searchParams.get('from_revision') ?? 0);
  for (let broken = 0; ;) {
    url.searchParams.set('from_revision', String(next));
    const answer = await asked(url);
    try {
      for await (const reads of eventsOfLines(bodyOf(answer), journal && `${journal} `)) {
        yield reads.map((read) => (isDifference(read) ? read : { ...read, journal }));
        next += reads.length;
      }
      return;
    } catch (cause) {
      broken += 1;
      if (cause instanceof CliError || broken >= BROKEN_MAX) throw cause;
    }
  }
}

async function* listed(url: string): AsyncIterable<string> {
  for (let page = 1; ; page += 1) {
    const { items, limit } = await pageAt(new URL(`${url}?page=${page}`));
    for (const { id } of items) yield id;
    if (items.length < limit) return;
  }
}

async function pageAt(url: URL): Promise<ListedPage> {
  const answer = await asked(url);
  try {
    const page = (await answer.json()) as ListedPage;
    if (Array.isArray(page.items) && page.limit > 0) return page;
  } catch {
    // It is not JSON, or was cut off.
  }
  throw new CliError(`${url.href} did not respond with a list as Quipu does.`);
}

async function asked(url: URL): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url);
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    throw new CliError(`${url.href} cannot be reached: ${String(why)}.`, { cause });
  }
  if (answer.status === 200) return answer;
  const text = (await answer.text()).slice(0, 300);
  throw new CliError(`${url.href} responded with ${answer.status}: ${text}`);
}

/** The deployment decides how many items fit on a page. */
type ListedPage = Readonly<{ items: readonly Readonly<{ id: string }>[]; limit: number }>;

const BROKEN_MAX = 5;

function bodyOf({ body, url }: Response): AsyncIterable<Uint8Array> {
  if (body === null) throw new CliError(`${url} responded without a body.`);
  return body as AsyncIterable<Uint8Array>;
}
