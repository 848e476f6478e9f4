import { createRequire } from 'node:module';
import { Agent as TlsAgent, request as startTls } from 'node:https';
import type { AgentOptions, RequestOptions } from 'node:http';
import { formatInstant } from '#src/kernel/instant.ts';
import { secretsAt } from '#src/kernel/signing-secret.ts';
import type { WebhookTarget } from '#src/kernel/subscription.ts';
import type {
  DeliveryErrorClass,
  DeliveryMessage,
  DeliveryOutcome,
  DeliveryTarget,
} from '#src/ports/delivery-target.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { AddressGuard } from '#src/adapters/network/address-guard.ts';
import { codeOf, connectionFault } from '#src/adapters/network/connection-fault.ts';
import { readTargetUrl, type TargetUrl } from '#src/adapters/network/target-url.ts';
import { exchange, ExchangeTimedOut, type WebhookResponse } from './exchange.ts';
import { requestOf, type WebhookRequest } from './message.ts';
import { retryAfterMs } from './retry-after.ts';
import type { SecretsOf } from './secret-cache.ts';

// Not an `import`, because that also loads undici, which is never used.
const { Agent, request: startPlain } = createRequire(import.meta.url)(
  'node:http',
) as typeof import('node:http');

type WebhookOptions = Readonly<{ guard: AddressGuard; secretsOf: SecretsOf }>;

export const openWebhookTarget = (options: WebhookOptions): DeliveryTarget =>
  new WebhookDelivery(options);

/** Posts records to the URLs of subscriptions, over connections that are kept open for further ones. */
class WebhookDelivery implements DeliveryTarget {
  readonly #guard: AddressGuard;
  readonly #secretsOf: SecretsOf;
  readonly #plain = new Agent(AGENT_OPTIONS);
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn verification off.
  readonly #tls = new TlsAgent({ ...AGENT_OPTIONS, rejectUnauthorized: true });
  readonly #closing = new AbortController();

  constructor({ guard, secretsOf }: WebhookOptions) {
    this.#guard = guard;
    this.#secretsOf = secretsOf;
  }

  async send(message: DeliveryMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { target, id } = message.subscription;
    if (target.kind !== 'webhook') throw new Error(`${target.kind} is not a webhook`);
    signal.throwIfAborted();
    const nowMs = message.at / 1000;
    const at = readTargetUrl(target.url, ['https', 'http']);
    if (at === undefined) return failed('address_refused');

    try {
      const stored = await this.#secretsOf(id);
      if (stored === undefined) return failed('auth_error');
      const secrets = secretsAt(stored, formatInstant(message.at));
      const request = requestOf(message.record, message.subscription, target, secrets, nowMs);
      return await this.#post(at, target, request, nowMs, signal);
    } catch (error) {
      if (error instanceof SyntaxError) return failed('serialization_error');
      if (error instanceof Unavailable) return failed('context_canceled'); // The secret store is away.
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The target is closed'));
    this.#plain.destroy();
    this.#tls.destroy();
  }

  async #post(
    at: TargetUrl,
    { timeoutMs }: WebhookTarget,
    request: WebhookRequest,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const start = (options: RequestOptions) => this.#start(at, options);
    const either = AbortSignal.any([signal, this.#closing.signal]);
    try {
      const response = await exchange({ start, request, timeoutMs, signal: either });
      return outcomeOf(response, nowMs);
    } catch (error) {
      signal.throwIfAborted();
      return failed(this.#closing.signal.aborted ? 'context_canceled' : classOf(error));
    }
  }

  #start({ url, host }: TargetUrl, options: RequestOptions) {
    const isEncrypted = url.protocol === 'https:';
    this.#guard.checkHost(host, isEncrypted);
    return (isEncrypted ? startTls : startPlain)({
      ...options,
      host,
      port: url.port,
      path: url.pathname + url.search,
      agent: isEncrypted ? this.#tls : this.#plain,
      lookup: this.#guard.lookupFor(isEncrypted),
    });
  }
}

/** A slow receiver fills its own share of the connections only. */
const AGENT_OPTIONS: AgentOptions = {
  keepAlive: true,
  maxSockets: 64,
  maxTotalSockets: 1024,
  maxFreeSockets: 16,
  timeout: 30_000,
};

const failed = (errorClass: DeliveryErrorClass): DeliveryOutcome => ({ is: 'failed', errorClass });

function outcomeOf(
  { statusCode, retryAfter, body }: WebhookResponse,
  nowMs: number,
): DeliveryOutcome {
  if (statusCode >= 200 && statusCode < 300) return { is: 'delivered', statusCode };
  if (statusCode === GONE) return { is: 'gone', statusCode };
  const waitMs = MAY_POSTPONE.has(statusCode) ? retryAfterMs(retryAfter, nowMs) : undefined;
  return {
    is: 'failed',
    errorClass: 'http_status',
    statusCode,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(body !== '' && { body }),
  };
}

const GONE = 410;
const MAY_POSTPONE = new Set([429, 503]);

function classOf(error: unknown): DeliveryErrorClass {
  if (error instanceof ExchangeTimedOut) return 'network_timeout';
  const code = codeOf(error);
  if (UNSENDABLE.has(code)) return 'serialization_error';
  if (code === 'ETIMEDOUT') return 'network_timeout';
  return connectionFault(error) ?? 'connection_error';
}

/** Node refuses names and values of headers that would break the request apart. */
const UNSENDABLE = new Set([
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_UNESCAPED_CHARACTERS',
]);
