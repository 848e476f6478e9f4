import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import { isForAnyCaller, isOpen } from '#src/kernel/permission.ts';
import type { Route } from '#src/http/route.ts';
import type { Answer, Client } from '#test/support/client.ts';
import {
  createAccount,
  got,
  made,
  NOBODY,
  openBook,
  posted,
  transfer,
  type List,
} from './books.ts';

type Ids = Readonly<Record<string, string>>;
type Identified = Readonly<{ id: string }>;
type CellRefusal = 'missing' | 'invalid' | 'subjectless' | 'forbidden';

/** What is sent as Authorization, and how it is refused; undefined if it must be let in. */
export type Credential = Readonly<{
  what: string;
  header: string | undefined;
  refusal: CellRefusal | undefined;
}>;

/** The ids of records in one state, and the name of the state. */
export type Place = Readonly<{ name: string; ids: Ids }>;

/** The words of a refusal on routes of the ledger and its components, of tokens, and of identities (contract access §13). */
const REFUSALS: Readonly<Record<'LDG' | 'AUT' | 'IDE', Readonly<Record<CellRefusal, string>>>> = {
  LDG: {
    ...{ missing: '401 LDG-0041', invalid: '401 LDG-0042', subjectless: '401 LDG-0474' },
    forbidden: '403 LDG-0043',
  },
  AUT: {
    ...{ missing: '401 AUT-0006', invalid: '401 AUT-0007', subjectless: '401 AUT-1003' },
    forbidden: '403 AUT-0043',
  },
  IDE: {
    ...{ missing: '401 IDE-0008', invalid: '401 IDE-0009', subjectless: '401 IDE-0474' },
    forbidden: '403 IDE-0043',
  },
};
const WORDS = new Map<string, keyof typeof REFUSALS>([
  ['Tokens', 'AUT'],
  ...['Users', 'Groups', 'Applications'].map((tag) => [tag, 'IDE'] as const),
]);
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Operations that need a token; deletions come last, so that others find their records. */
const operations = routes
  .filter(({ permission }) => !isOpen(permission))
  .toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));

/** Sends every operation in every place under each of its credentials. Returns what was wrong, and the number of requests. */
export async function tryCells(
  client: Client,
  places: readonly Place[],
  credentialsOf: (route: Route) => Promise<readonly Credential[]> | readonly Credential[],
): Promise<Readonly<{ wrong: readonly string[]; sent: number }>> {
  const wrong: string[] = [];
  let sent = 0;
  const cells = places.flatMap((place) => operations.map((route) => ({ route, place }))).values();
  const work = async (): Promise<void> => {
    for (const { route, place } of cells) {
      for (const { what, header, refusal } of await credentialsOf(route)) {
        if (refusal === 'forbidden' && isForAnyCaller(route.permission)) continue;
        const answer = await ask(client, route, place.ids, header);
        sent += 1;
        const flaw =
          refusal === undefined ? flawOfAdmitted(answer) : flawIn(answer, route, refusal);
        if (flaw !== undefined) wrong.push(`${route.operationId} ${place.name} ${what}: ${flaw}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return { wrong, sent };
}

/** Returns the number of refused requests that /metrics counts. */
export async function countedRefusals(client: Client): Promise<number> {
  const metrics = (await client.get('/metrics')).text;
  const counted = [...metrics.matchAll(/^quipu_refused_requests_total\{.*\} (\d+)$/gm)];
  return counted.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A record of each kind, by the names of path parameters. */
export async function records(client: Client): Promise<Ids> {
  const { org, ledger, at } = await openBook(client, { funds: { '@alice': '100' } });
  const id = async (path: string, body: object): Promise<string> =>
    (await made<Identified>(client, path, body)).id;
  const first = async (path: string): Promise<string> =>
    (await got<List<Identified>>(client, path)).items[0]?.id ?? NOBODY;
  const account = await createAccount(client, at, { alias: '@bob' });
  const paid = await posted(client, at, transfer('@alice', '@bob', '1'));
  const target = { kind: 'webhook', url: 'https://hooks.example/quipu' };
  const holder = { type: 'NATURAL_PERSON', name: 'Ada', document: '1' };
  return {
    organization_id: org,
    ledger_id: ledger,
    account_id: account.id,
    alias: '@bob',
    asset_code: 'BRL',
    transaction_id: paid.id,
    operation_id: paid.operations[0]?.id ?? NOBODY,
    asset_id: await first(`${at}/assets`),
    balance_id: await first(`${at}/accounts/${account.id}/balances`),
    segment_id: await id(`${at}/segments`, { name: 'Retail' }),
    portfolio_id: await id(`${at}/portfolios`, { name: 'Main', entityId: 'e' }),
    account_type_id: await id(`${at}/account-types`, { name: 'Cash', keyValue: 'cash' }),
    holder_id: await id(`/v2/organizations/${org}/holders`, holder),
    subscription_id: await id('/v1/subscriptions', { name: 'Matrix', target, filters: {} }),
  };
}

export async function removeAll(client: Client, ids: Ids): Promise<void> {
  const organization = `/v1/organizations/${ids['organization_id']!}`;
  const at = `${organization}/ledgers/${ids['ledger_id']!}`;
  for (const path of [
    `${at}/segments/${ids['segment_id']!}`,
    `${at}/portfolios/${ids['portfolio_id']!}`,
    `${at}/account-types/${ids['account_type_id']!}`,
    `/v2/organizations/${ids['organization_id']!}/holders/${ids['holder_id']!}`,
    `/v1/subscriptions/${ids['subscription_id']!}`,
    at,
    organization,
  ]) {
    const { status, text } = await client.delete(path);
    expect(status, `${path} ${text}`).to.equal(204);
  }
}

/** A parameter without a record of its kind names none that exists. */
function ask(client: Client, route: Route, ids: Ids, Authorization?: string): Promise<Answer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? NOBODY)); // prettier-ignore
  const organization = ids['organization_id'] ?? NOBODY;
  const headers = {
    ...(Authorization !== undefined && { Authorization }),
    ...(route.headerParameter && { [route.headerParameter.header]: organization }),
  };
  return client.send({ method: route.method.toUpperCase(), path, headers });
}

function flawIn(
  { status, headers, text }: Answer,
  { method, tag }: Route,
  refused: CellRefusal,
): string | undefined {
  const refusal = REFUSALS[WORDS.get(tag) ?? 'LDG'][refused];
  const { code = '' } = status < 400 || text === '' ? {} : (JSON.parse(text) as { code?: string });
  const said = `${status} ${code}`;
  if (method === 'head' ? said !== `${refusal.slice(0, 3)} ` : said !== refusal) return said;
  if (headers['www-authenticate'] !== (status === 401 ? 'Bearer' : undefined)) return 'challenge';
  const lacking = Object.entries(HEADERS).find(([name, value]) => headers[name] !== value);
  if (lacking !== undefined) return lacking[0];
  return headers['cache-control'] === 'no-store' ? undefined : 'cache-control';
}

const flawOfAdmitted = ({ status, headers }: Answer): string | undefined =>
  [401, 403].includes(status) || headers['x-content-type-options'] !== 'nosniff'
    ? String(status)
    : undefined;
