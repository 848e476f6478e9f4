import { clientOf, type Answer, type Client } from './client.ts';
import { removeFolder, startServer, stopServer, temporaryFolder, type Server } from './server.ts';

/** No limits that tests would run into. */
export const UNLIMITED = {
  AUTH_RATE_LIMIT_GENERAL: '1000000',
  AUTH_RATE_LIMIT_TOKEN: '1000000',
  AUTH_RATE_LIMIT_PERMISSIONS: '1000000',
};

/** The first administrator and application, without limits. */
export const FIRST_ACCESS = {
  ACCESS_ADMIN_USERNAME: 'root.admin',
  ACCESS_ADMIN_EMAIL: 'root@example.com',
  ACCESS_ADMIN_PASSWORD: 'Correct-Horse-7',
  ACCESS_ADMIN_CLIENT_ID: 'first-client',
  ACCESS_ADMIN_CLIENT_SECRET: 'a secret of tests that is long enough',
  ...UNLIMITED,
};

export const ADMIN = { username: 'root.admin', password: 'Correct-Horse-7' };
export const FIRST_CLIENT = {
  clientId: 'first-client',
  clientSecret: 'a secret of tests that is long enough',
};

export type Tokens = Readonly<{
  accessToken: string;
  idToken?: string;
  tokenType: string;
  expiresIn: number;
  refreshToken: string;
  scope: string;
}>;

export const LOGIN = '/v1/login/oauth/access_token';
export const REFRESH = '/v1/login/oauth/refresh_token';

export type LocalAccess = Readonly<{
  server: () => Server;
  client: Client;
  /** Sends a request with a bearer token, if one is given. */
  ask: (method: string, path: string, token?: string, body?: unknown) => Promise<Answer>;
  login: (body?: object) => Promise<Answer>;
  tokens: (body?: object) => Promise<Tokens>;
  restart: (env?: Readonly<Record<string, string>>) => Promise<void>;
}>;

/** A server whose tokens are its own, for all tests of the block it is called in. */
export function localAccessOfBlock(env: Readonly<Record<string, string>> = {}): LocalAccess {
  let server: Server;
  const dataDir = temporaryFolder();
  const client = clientOf(() => server, { impatient: true });
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const settings = { PLUGIN_AUTH_ENABLED: 'true', ...FIRST_ACCESS, ...env, ...more };
    server = await startServer({ dataDir, env: settings });
  };
  before(async function () {
    this.timeout(60_000);
    await start();
  });
  after(async function () {
    this.timeout(60_000);
    client.close();
    await stopServer(server);
    removeFolder(dataDir);
  });

  const ask: LocalAccess['ask'] = async (method, path, token, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return client.send({
      ...{ method, path },
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: text }),
    });
  };
  const login: LocalAccess['login'] = (body = {}) =>
    ask('POST', LOGIN, undefined, { grantType: 'password', ...ADMIN, ...body });
  return {
    server: () => server,
    ...{ client, ask, login },
    async tokens(body) {
      const answer = await login(body);
      if (answer.status !== 200) throw new Error(`No tokens: ${answer.text}`);
      return answer.json() as Tokens;
    },
    async restart(more) {
      await stopServer(server);
      await start(more);
    },
  };
}
