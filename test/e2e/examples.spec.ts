import { expect } from 'chai';
import { examplesOf } from '#src/http/operation-examples.ts';
import { loadExamples } from '#src/bootstrap/examples.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { CLIENT, exampleAccess } from '#test/examples/access-scenario.ts';
import { bodiesOf } from '#test/examples/bodies.ts';
import type { ExampleApi } from '#test/examples/example-api.ts';
import { exampleFees } from '#test/examples/fees-scenario.ts';
import { exampleLedger } from '#test/examples/ledger-scenario.ts';
import { createRecorder, type Recorded } from '#test/examples/recorder.ts';
import { exampleRegistry } from '#test/examples/registry-scenario.ts';
import { createReplacement } from '#test/examples/replacement.ts';
import { exampleSettings } from '#test/examples/settings-scenario.ts';
import { exampleStreaming } from '#test/examples/streaming-scenario.ts';
import { writeExamples } from '#test/examples/write-examples.ts';
import { clientOf } from '#test/support/client.ts';
import { FIRST_ACCESS, LOGIN, type Tokens } from '#test/support/local-access.ts';
import { serverOfBlock } from '#test/support/server.ts';
import { inFolders } from '#test/support/stores.ts';

const ACCESS = {
  ...FIRST_ACCESS,
  ACCESS_ADMIN_USERNAME: 'carla.reis',
  ACCESS_ADMIN_EMAIL: 'carla.reis@example.com',
  ACCESS_ADMIN_CLIENT_ID: CLIENT.clientId,
  ACCESS_ADMIN_CLIENT_SECRET: CLIENT.clientSecret,
};
const STREAMING = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
  STREAMING_BROKERS: '127.0.0.1:1', // Nothing listens there: replays are accepted all the same.
  DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8',
};

/**
 * The examples of the API description are what the server really takes and returns. With EXAMPLES=write they replace
 * the files, otherwise the files must equal them.
 */
inFolders.describe('examples of the API', function () {
  this.timeout(120_000);
  const writes = process.env['EXAMPLES'] === 'write';
  const server = serverOfBlock({ env: { ...ACCESS, ...STREAMING } });
  let token = '';
  const client = clientOf(server, { headers: () => ({ Authorization: `Bearer ${token}` }) });
  const recorded: Recorded = new Map();

  const run = (scenario: (api: ExampleApi) => Promise<void>, suffix = ''): Promise<void> => {
    const origin = `http://127.0.0.1:${server().port}`;
    const replacement = createReplacement({ [origin]: 'https://quipu.example.com' });
    return scenario(createRecorder({ routes, client, recorded, replacement, suffix }));
  };

  before(async () => {
    const login = { grantType: 'client_credentials', ...CLIENT };
    token = ((await client.post(LOGIN, login)).json() as Tokens).accessToken;
    await run((api) => exampleLedger(api, 1));
    await run((api) => exampleLedger(api, 2), 'V2');
    for (const suffix of ['', 'V2'] as const) await run(exampleSettings, suffix);
    for (const suffix of ['', 'V2', 'ByPath'] as const)
      await run((api) => exampleRegistry(api, suffix), suffix);
    for (const suffix of ['', 'InOrganization', 'V2'] as const)
      await run((api) => exampleFees(api, suffix), suffix);
    await run(exampleAccess);
    await run((api) => exampleStreaming(api, server().port));
    if (writes) await writeExamples(recorded);
  });
  after(() => client.close());

  for (const route of routes) {
    const bodies = bodiesOf(route);
    if (bodies.length === 0) continue;
    it(`show what ${route.operationId} takes and returns`, async () => {
      const found = recorded.get(route.operationId) ?? {};
      const has = Object.entries(found).flatMap(([key, byMedia]) =>
        Object.keys(byMedia).map((media) => `${key} ${media}`),
      );
      expect(has).to.have.members(bodies);
      if (!writes) {
        const stored = examplesOf(await loadExamples(), route.operationId);
        expect(found, 'run npm run examples').to.deep.equal(stored);
      }
    });
  }

  it('are of operations that there are', async () => {
    const known = routes.map(({ operationId }) => operationId);
    expect(known).to.include.members(Object.keys(await loadExamples()));
  });
});
