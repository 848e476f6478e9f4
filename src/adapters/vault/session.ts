import { Unavailable } from '#src/ports/errors.ts';
import { KeyServiceUnavailable } from '#src/ports/key-wrapping.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

export type VaultLogin =
  | Readonly<{ method: 'token'; token: string }>
  | Readonly<{ method: 'approle'; roleId: string; secretId: string }>;

export type VaultOptions = Readonly<{
  /** The address of the server, without a path. */
  url: string;
  login: VaultLogin;
  scheduler: Pick<Scheduler, 'elapsedMs'>;
}>;

/** A response of Vault; errors that the caller must understand are responses too. */
export type VaultResponse = Readonly<{
  status: number;
  data: VaultData;
  errors: readonly string[];
}>;
export type VaultData = Readonly<Record<string, unknown>>;

/** Calls Vault under a token that is obtained on first use and renewed before it ends. */
export type VaultSession = Readonly<{
  /** Returns a response of status 2xx, 400 or 404. Errors: KeyServiceUnavailable. */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<VaultResponse>;
}>;

export function openVaultSession({ url, login, scheduler }: VaultOptions): VaultSession {
  let token: Promise<VaultToken> | undefined;

  const send = async (
    method: string,
    path: string,
    { body, by }: SentCall,
  ): Promise<VaultResponse> => {
    try {
      const response = await fetch(`${url}/v1/${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          'x-vault-request': 'true',
          ...(by !== undefined && { 'x-vault-token': by }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error', // A redirect would carry the token elsewhere.
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return await readResponse(response);
    } catch (cause) {
      if (cause instanceof Unavailable) throw cause;
      throw new KeyServiceUnavailable('The key service cannot be reached', { cause });
    }
  };

  const authenticate = async (path: string, body: object, by?: string): Promise<VaultToken> => {
    const sinceMs = scheduler.elapsedMs();
    const response = await send('POST', path, { body, by });
    if (response.status !== 200) throw refused(response);
    const { client_token: text, lease_duration: leaseS, renewable } = authIn(response.data);
    return {
      text,
      isRenewable: renewable,
      renewAtMs: leaseS === 0 ? Infinity : sinceMs + (leaseS * 1000 * 2) / 3,
      endsAtMs: leaseS === 0 ? Infinity : sinceMs + leaseS * 1000,
    };
  };
  const logIn = async (): Promise<VaultToken> =>
    login.method === 'token'
      ? { text: login.token, isRenewable: false, renewAtMs: Infinity, endsAtMs: Infinity }
      : authenticate('auth/approle/login', { role_id: login.roleId, secret_id: login.secretId });

  /** Renews a token, or obtains another one when its maximum age ends or it cannot be renewed. */
  const renew = async (old: VaultToken): Promise<VaultToken> => {
    if (!old.isRenewable || scheduler.elapsedMs() >= old.endsAtMs) return logIn();
    try {
      const renewed = await authenticate('auth/token/renew-self', {}, old.text);
      // Near its maximum age, a token is extended by less than before.
      const leftMs = renewed.endsAtMs - scheduler.elapsedMs();
      return leftMs < RENEWED_MS_MIN ? await logIn() : renewed;
    } catch {
      return logIn();
    }
  };

  const remember = (obtained: Promise<VaultToken>): Promise<VaultToken> => {
    token = obtained;
    obtained.catch(() => {
      if (token === obtained) token = undefined;
    });
    return obtained;
  };
  const currentToken = async (): Promise<VaultToken> => {
    const before = (token ??= remember(logIn()));
    const current = await before;
    if (scheduler.elapsedMs() < current.renewAtMs) return current;
    return token === before ? remember(renew(current)) : currentToken();
  };

  return {
    async call(method, path, body) {
      const used = await currentToken();
      const response = await send(method, path, { body, by: used.text });
      if (response.status !== 403) return checked(response);
      // The token was revoked or its end was missed: another login decides whether the call is permitted.
      if (login.method === 'token') throw refused(response);
      if ((await token) === used) void remember(logIn()); // The next line awaits it.
      return checked(await send(method, path, { body, by: (await currentToken()).text }));
    },
  };
}

type SentCall = Readonly<{ body?: object | undefined; by?: string | undefined }>;

type VaultToken = Readonly<{
  text: string;
  isRenewable: boolean;
  renewAtMs: number;
  endsAtMs: number;
}>;

async function readResponse(response: Response): Promise<VaultResponse> {
  const text = await response.text();
  const read = (): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  const body = text === '' ? {} : read();
  if (typeof body !== 'object' || body === null) {
    const upstream = { code: String(response.status), message: response.statusText };
    throw new KeyServiceUnavailable('The key service sent something other than JSON', { upstream });
  }
  const { errors, data, auth } = body as Readonly<Record<string, unknown>>;
  return {
    status: response.status,
    data: { ...(data as VaultData | null), auth },
    errors: Array.isArray(errors) ? errors.map(String) : [],
  };
}

function authIn({ auth }: VaultData) {
  const { client_token, lease_duration, renewable } = (auth ?? {}) as VaultData;
  if (typeof client_token !== 'string' || typeof lease_duration !== 'number') {
    throw new KeyServiceUnavailable('The key service sent no token');
  }
  return { client_token, lease_duration, renewable: renewable === true };
}

function checked(response: VaultResponse): VaultResponse {
  const { status } = response;
  if ((status >= 200 && status < 300) || status === 400 || status === 404) return response;
  throw refused(response);
}

/** Vault's own message is passed on up to a bound; it never contains a token. */
export function refused({ status, errors }: VaultResponse): KeyServiceUnavailable {
  const upstream = { code: String(status), message: errors.join('; ').slice(0, MESSAGE_MAX) };
  return new KeyServiceUnavailable(
    `The key service refused a call: ${upstream.code} ${upstream.message}`,
    { upstream },
  );
}

const ANSWER_MS = 5000;
const RENEWED_MS_MIN = 10_000;
const MESSAGE_MAX = 256;
