import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { requestSchema } from '#src/http/request-schema.ts';
import type { Route } from '#src/http/route.ts';
import { catalog } from '#src/bootstrap/refusals.ts';
import { routes } from '#src/bootstrap/routes.ts';
import type { PublishedSchema } from '#src/kernel/schema.ts';
import { openBook, type Book } from '#test/e2e/books.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { valuesOf } from '#test/support/from-schema.ts';
import { FIRST_ACCESS, FIRST_CLIENT, LOGIN, type Tokens } from '#test/support/local-access.ts';
import { serverOfBlock } from '#test/support/server.ts';

/** Rules on the form of a body that no schema can state; the API description lists them in words. */
const UNSTATED: Readonly<Record<string, string>> = {
  'LDG-0047 createReplay': 'A key is one that the manifest lists.',
  'LDG-0048': 'A script follows its grammar.',
  'LDG-0078': 'A window does not end before it begins.',
  'LDG-0516': 'Items of a batch are numbered 1, 2, 3, and all their legs are in one ledger.',
  'AUT-0001 logout': 'A hint is a JWT.',
  'FEE-0037': 'The legs of each side add up to the value.',
  'FEE-0003 calculateFees': 'All legs have the asset of the transaction.',
  'FEE-0003 estimateFees': 'All legs have the asset of the transaction.',
  ...Object.fromEntries(
    Object.values(catalog).flatMap(({ code, beyondSchema }) =>
      /^(FEE|IDE|AUT)-/.test(code) && beyondSchema !== undefined ? [[code, beyondSchema]] : [],
    ),
  ),
};
/** Validation of state, which no schema knows; metadata of a rate that there is not yet have no key to remove. */
const OF_STATE = ['LDG-0029', 'LDG-0066', 'LDG-0067 putAssetRate', 'AUT-1005'];
const SAMPLES = 20;
/** Sent to each operation. */
const BODIES = 5;

/** What the API description says of a body holds: the schema lets pass what is not refused for its form, and nothing else. */
describe('published schemas of bodies', () => {
  const server = serverOfBlock({
    env: {
      ...FIRST_ACCESS,
      TRANSACTION_BATCH_MAX_SIZE: '50',
      DELIVERY_ALLOWED_CIDRS: '0.0.0.0/1,128.0.0.0/1,::/1,8000::/1', // Which addresses are open is up to a deployment.
    },
  });
  let token = '';
  const client = clientOf(server, { headers: () => ({ Authorization: `Bearer ${token}` }) });
  after(() => client.close());
  let book: Book;
  before(async () => {
    const login = { grantType: 'client_credentials', ...FIRST_CLIENT };
    token = ((await client.post(LOGIN, login)).json() as Tokens).accessToken;
    book = await openBook(client, { accounts: ['@alice', '@bob'] });
  });

  // One operation for each body; under /v2 they differ by metadata alone.
  const withBody = [
    ...new Map(
      routes
        .filter(({ operationId }) => !isSecond(operationId))
        .map((route) => [route.body, route] as const),
    ).values(),
  ].filter(({ body }) => body !== undefined);

  for (const route of withBody) {
    const { operationId, body } = route;
    const schema = requestSchema(body ?? {});
    let samples: unknown[] = [];
    before(() => {
      samples = fc.sample(valuesOf(schema), { seed: 7, numRuns: SAMPLES });
    });

    it(`of ${operationId} allow nothing that is refused for its form`, async () => {
      const allowed = validatorOf(schema);
      const bodies = samples.filter((one) => allowed(one));
      expect(bodies, 'bodies that fit').not.to.be.empty;
      for (const sent of bodies.slice(0, BODIES)) {
        const { status, text } = await send(route, sent);
        if (status !== 400) continue;
        const { code } = JSON.parse(text) as { code: string };
        const known = [code, `${code} ${operationId}`];
        const isFound = known.some((one) => one in UNSTATED || OF_STATE.includes(one));
        expect(isFound, `${JSON.stringify(sent)}\n${text}`).to.equal(true);
      }
    });

    // Items of a batch of version 1 are refused one by one, and the batch is accepted.
    if (operationId === 'createTransactionBatch') continue;

    it(`of ${operationId} forbid nothing that is accepted`, async () => {
      const allowed = validatorOf(schema);
      const spoiled = samples.flatMap((one, n) => spoiledBodies(one, n));
      const bodies = spoiled.filter((one) => !allowed(one));
      for (const sent of bodies.slice(0, BODIES)) {
        const { status } = await send(route, sent);
        expect(status, JSON.stringify(sent)).to.be.within(400, 499);
      }
    });
  }

  const send = ({ method, path, headerParameter }: Route, body: unknown): Promise<Answer> =>
    client.send({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name)),
      headers: {
        'Content-Type': 'application/json',
        ...(headerParameter && { [headerParameter.header]: book.org }),
      },
      body: JSON.stringify(body),
    });

  const valueOf = (name: string): string =>
    ({ organization_id: book.org, ledger_id: book.ledger, entity_name: 'account' })[name] ?? NOBODY;
});

function isSecond(operationId: string): boolean {
  return routes.some((one) => `${one.operationId}V2` === operationId);
}

/** The body with one thing wrong, each time another; some of them may still fit. */
function spoiledBodies(body: unknown, n: number): unknown[] {
  if (typeof body !== 'object' || body === null) return [];
  const members: [string, unknown][] = Object.entries(body);
  const [name, value] = members[n % Math.max(1, members.length)] ?? ['x', 1];
  const { [name]: _, ...without } = body as Record<string, unknown>;
  return [
    without,
    { ...body, unheardOf: 1 },
    { ...body, [name]: [[value]] },
    { ...body, [name]: typeof value === 'string' ? '#'.repeat(3000) : 'x y' },
    { ...body, [name]: Array.isArray(value) ? [] : null },
    inside(body as Record<string, unknown>),
  ];
}

/** Every object within has a member more, among them quantities that exclude each other. */
const inside = (body: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && key !== ''
      ? { ...value, share: { percentage: 5 }, remaining: 'remaining' }
      : value,
  );

const validators = new Map<PublishedSchema, ValidateFunction>();
const ajv = new Ajv2020({
  strict: false,
  formats: {
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    instant: (text: string) => !Number.isNaN(Date.parse(text)),
    date: /^\d{4}-\d\d-\d\d$/,
    decimal: true,
  },
});

function validatorOf(schema: PublishedSchema): ValidateFunction {
  const known = validators.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema)) as object);
  validators.set(schema, known);
  return known;
}

const NOBODY = '0197f3a0-1111-7aaa-8bbb-000000000000';
