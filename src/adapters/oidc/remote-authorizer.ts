import { Unavailable } from '#src/ports/errors.ts';
import { PermissionCheckFailed, type Authorizer, type Principal } from '#src/ports/authorizer.ts';
import { namespaceOf, type Namespaces, type Permission } from '#src/kernel/permission.ts';

export type RemoteAuthorizerOptions = Readonly<{
  /** The address of the access management, without a path. */
  address: string;
  /** Exempts this process from the rate limits of the access management. */
  serviceToken?: string | undefined;
  decisionSeconds: number;
  namespaces: Namespaces;
}>;

/** Asks `POST /v1/authorize` of an access management with the caller's own token (contract access §6). */
export function remoteAuthorizer(options: RemoteAuthorizerOptions): Authorizer {
  const { address, serviceToken, decisionSeconds, namespaces } = options;
  return {
    decisionSeconds,
    async allows(caller, permission, token) {
      const body = JSON.stringify(questionOf(caller, permission, namespaces));
      const request = {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${token}`,
          ...(serviceToken !== undefined && { 'X-Service-Token': serviceToken }),
        },
        body,
        redirect: 'error', // A redirect would carry the token elsewhere.
      } as const;
      const response = await answerOf(`${address}/v1/authorize`, request);
      const { authorized } = response;
      if (typeof authorized === 'boolean') return authorized;
      throw new PermissionCheckFailed('The access management did not say whether it is allowed');
    },
  };
}

/** Applications ask in the role that existing access managements know them by. */
function questionOf({ actor, claims }: Principal, permission: Permission, namespaces: Namespaces) {
  const { resource, action } = permission;
  const product = namespaceOf(permission, namespaces);
  const { owner } = claims;
  return actor.type === 'application'
    ? { sub: `admin/${product}-editor-role`, resource, action }
    : { sub: `${typeof owner === 'string' ? owner : ''}/${actor.id}`, resource, action, product };
}

type Answer = Readonly<Record<string, unknown>>;

/** Sends a request twice at most. Errors: Unavailable if there is no answer, PermissionCheckFailed if it is no decision. */
async function answerOf(url: string, request: RequestInit): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const response = await fetch(url, { ...request, signal });
      if (response.status === 200) return (await response.json()) as Answer;
      await response.body?.cancel();
      if (response.status < 500 && response.status !== 429) {
        const said = `The access management answered ${String(response.status)}`;
        throw new PermissionCheckFailed(said);
      }
      throw new Error(`status ${String(response.status)}`);
    } catch (cause) {
      if (cause instanceof PermissionCheckFailed) throw cause;
      if (attempt === ATTEMPTS_MAX) {
        throw new Unavailable('The access management does not answer', { cause });
      }
    }
  }
}

const ATTEMPTS_MAX = 2;
const ANSWER_MS = 2000;
