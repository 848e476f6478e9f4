import { clientOf, type Answer } from './client.ts';
import { AUDIENCE, startIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { removeFolder, startServer, stopServer, temporaryFolder, type Server } from './server.ts';

export type User = Readonly<{
  id: string;
  username: string;
  firstName: string;
  lastName: string;
  email: string;
  groups: readonly string[];
  createdAt: string;
  updatedAt: string;
}>;

/** Sends a request as the subject of a token, by default one who may do everything. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  claims?: Readonly<Record<string, unknown>>,
) => Promise<Answer>;

export type AccessWorld = Readonly<{
  server: () => Server;
  ask: Ask;
  /** Signs a token with these claims. */
  sign: IdentityProvider['sign'];
  restart: (env?: Readonly<Record<string, string>>) => Promise<void>;
}>;

/** A server with access management for all tests of the block it is called in. */
export function accessOfBlock(env: Readonly<Record<string, string>> = {}): AccessWorld {
  let provider: IdentityProvider;
  let server: Server;
  const dataDir = temporaryFolder();
  const client = clientOf(() => server);
  const start = async (more: Readonly<Record<string, string>>): Promise<void> => {
    const access = {
      PLUGIN_AUTH_ENABLED: 'true',
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: AUDIENCE,
      AUTHZ_MODE: 'claims',
    };
    server = await startServer({ dataDir, env: { ...access, ...env, ...more } });
  };
  before(async function () {
    this.timeout(60_000);
    provider = await startIdentityProvider();
    await start({});
  });
  after(async function () {
    this.timeout(60_000);
    client.close();
    await stopServer(server);
    removeFolder(dataDir);
    await provider.stop();
  });
  return {
    server: () => server,
    sign: (claims) => provider.sign(claims),
    async ask(method, path, body, claims = {}) {
      const token = await provider.sign({ permissions: ['*:*:*'], ...claims });
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return client.send({ method, path, headers, ...(body !== undefined && { body: text }) });
    },
    async restart(more = {}) {
      await stopServer(server);
      await start(more);
    },
  };
}

/** A body that creates a user; names must be unique. */
export const userNamed = (username: string, more: object = {}) => ({
  email: `${username}@example.com`,
  firstName: 'Anabel',
  lastName: 'Lima',
  username,
  password: PASSWORD,
  groups: ['quipu-viewer-group'],
  ...more,
});

export const PASSWORD = 'Correct-Horse-7';
