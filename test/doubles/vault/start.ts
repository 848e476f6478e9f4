import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A double of HashiCorp Vault: the transit engine at two mounts, login by role and renewal of tokens, with the paths,
 * members, statuses and messages of its HTTP API. It keeps its keys in memory. It proves how the adapter behaves
 * against this wire format, and nothing about Vault itself.
 */
export type VaultDouble = Readonly<{
  url: string;
  /** A token that does not end. */
  rootToken: string;
  roleId: string;
  secretId: string;
  /** The calls that were answered, such as `POST transit-st/encrypt/org-…`. */
  calls: readonly string[];
  /** Answers every call with an error until it is undefined again. */
  fail(with_: VaultFailure | undefined): void;
  /** Sets how long tokens of a role live, and whether they can be renewed. */
  lease(seconds: number, renewable?: boolean): void;
  /** Makes all tokens of roles unknown. */
  revokeTokens(): void;
  rotate(mount: string, name: string): void;
  /** Disables all versions of a key but the newest. */
  forget(mount: string, name: string): void;
  stop(): Promise<void>;
}>;

export type VaultFailure = Readonly<{ status: number; body: string }>;

export async function startVaultDouble(): Promise<VaultDouble> {
  const credentials = { roleId: randomUUID(), secretId: randomUUID() };
  const rootToken = 'hvs.root';
  const tokens = new Map<string, number>();
  const keys = new Map<string, TransitKey>();
  const calls: string[] = [];
  let failure: VaultFailure | undefined;
  let lease = { seconds: 3600, renewable: true };

  const grant = (token: string): Answer => {
    tokens.set(token, performance.now() + lease.seconds * 1000);
    return ok(null, {
      client_token: token,
      policies: ['default', 'quipu'],
      lease_duration: lease.seconds,
      renewable: lease.renewable,
    });
  };
  const isValid = (token: string): boolean =>
    token === rootToken || (tokens.get(token) ?? 0) > performance.now();

  const answer = (method: string, path: string, token: string, body: Body): Answer => {
    if (path === 'auth/approle/login') {
      const isKnown =
        body['role_id'] === credentials.roleId && body['secret_id'] === credentials.secretId;
      return isKnown ? grant(`hvs.${randomUUID()}`) : refusal(400, 'invalid role or secret ID');
    }
    if (!isValid(token)) return refusal(403, 'permission denied', 'invalid token');
    if (path === 'auth/token/renew-self') {
      return lease.renewable ? grant(token) : refusal(400, 'lease is not renewable');
    }
    const [, mount, work, name] = /^(transit-(?:st|mt))\/(\w+)\/([\w.-]+)$/.exec(path) ?? [];
    if (mount === undefined)
      return refusal(404, `no handler for route "${path}". route entry not found.`);
    const at = `${mount}/${String(name)}`;
    const key = keys.get(at);
    if (work === 'keys') {
      if (method === 'POST') {
        if (key === undefined) keys.set(at, newKey());
        return ok(described(String(name), keys.get(at)!));
      }
      return key === undefined
        ? { status: 404, body: { errors: [] } }
        : ok(described(String(name), key));
    }
    if (key === undefined) return refusal(400, 'encryption key not found');
    if (work === 'encrypt')
      return ok({
        ciphertext: encrypt(key, String(body['plaintext'])),
        key_version: key.versions.length,
      });
    const plaintext = decrypt(key, String(body['ciphertext']));
    if (typeof plaintext !== 'string') return plaintext;
    if (work === 'decrypt') return ok({ plaintext });
    return ok({ ciphertext: encrypt(key, plaintext), key_version: key.versions.length });
  };

  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const path = (request.url ?? '').replace(/^\/v1\//, '');
      calls.push(`${String(request.method)} ${path}`);
      response.setHeader('content-type', 'application/json');
      if (failure !== undefined) {
        response.writeHead(failure.status).end(failure.body);
        return;
      }
      const token = String(request.headers['x-vault-token'] ?? '');
      const { status, body: reply } = answer(String(request.method), path, token, body);
      response.writeHead(status).end(JSON.stringify(reply));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ...{ rootToken, ...credentials, calls },
    fail(with_) {
      failure = with_;
    },
    lease(seconds, renewable = true) {
      lease = { seconds, renewable };
    },
    revokeTokens() {
      tokens.clear();
    },
    rotate(mount, name) {
      keys.get(`${mount}/${name}`)!.versions.push(randomBytes(32));
    },
    forget(mount, name) {
      const key = keys.get(`${mount}/${name}`)!;
      key.minimum = key.versions.length;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Body = Readonly<Record<string, unknown>>;
type Answer = Readonly<{ status: number; body: object }>;
/** Versions count from 1; those below the minimum decrypt nothing. */
type TransitKey = { versions: Buffer[]; minimum: number };

const newKey = (): TransitKey => ({ versions: [randomBytes(32)], minimum: 1 });

const ok = (data: object | null, auth: object | null = null): Answer => ({
  status: 200,
  body: {
    request_id: randomUUID(),
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data,
    wrap_info: null,
    warnings: null,
    auth,
  },
});

const refusal = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });

const described = (name: string, { versions, minimum }: TransitKey): object => ({
  name,
  type: 'aes256-gcm96',
  keys: Object.fromEntries(versions.map((_, n) => [String(n + 1), 1_767_614_400])),
  latest_version: versions.length,
  min_decryption_version: minimum,
  min_encryption_version: 0,
  exportable: false,
  deletion_allowed: false,
});

function encrypt({ versions }: TransitKey, plaintext: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', versions.at(-1)!, nonce);
  const sealed = [nonce, cipher.update(plaintext, 'base64'), cipher.final(), cipher.getAuthTag()];
  return `vault:v${String(versions.length)}:${Buffer.concat(sealed).toString('base64')}`;
}

function decrypt({ versions, minimum }: TransitKey, ciphertext: string): string | Answer {
  const [, version, text = ''] = /^vault:v(\d+):(.*)$/.exec(ciphertext) ?? [];
  if (version === undefined) return refusal(400, 'invalid ciphertext: no prefix');
  const key = versions[Number(version) - 1];
  if (key === undefined) return refusal(400, 'invalid ciphertext: version is too new');
  if (Number(version) < minimum) {
    return refusal(400, 'ciphertext or signature version is disallowed by policy (too old)');
  }
  const bytes = Buffer.from(text, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString(
      'base64',
    );
  } catch {
    return refusal(400, 'cipher: message authentication failed');
  }
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Body);
}
