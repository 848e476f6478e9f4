import type { components, ProblemCode } from './api.ts';

/** The document that explains an error (RFC 9457). */
export type ProblemDocument = components['schemas']['Problem'];

/** The server refused a request, or could not carry it out. */
export class QuipuProblem extends Error {
  override readonly name = 'QuipuProblem';
  readonly status: number;
  /** The stable code to decide by; empty if the response had no problem document, as for HEAD or from a proxy. */
  readonly code: string;
  /** Explains what is wrong with this request, in a sentence for people. */
  readonly detail: string;
  /** Every finding in the request, with its location. */
  readonly errors: NonNullable<ProblemDocument['errors']>;
  readonly document: ProblemDocument | undefined;
  /** The time that the server asks you to wait before you repeat the request. */
  readonly retryAfterMs: number | undefined;
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined;

  constructor(status: number, document?: ProblemDocument, headers?: Headers) {
    const { code = '', detail = `The server responded with status ${String(status)}.` } =
      document ?? {};
    super(code === '' ? detail : `${code}: ${detail}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = document?.errors ?? [];
    this.document = document;
    this.retryAfterMs = retryAfterMs(headers?.get('Retry-After'));
    this.requestId = headers?.get('X-Request-Id') ?? undefined;
  }
}

/** The connection failed, and it is not known whether the request was carried out. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Returns whether an error is a problem with one of these codes. */
export const isProblem = <Code extends ProblemCode>(
  error: unknown,
  ...codes: readonly [Code, ...Code[]]
): error is QuipuProblem & Readonly<{ code: Code }> =>
  error instanceof QuipuProblem && codes.some((code) => code === error.code);

export async function readProblem(response: Response): Promise<QuipuProblem> {
  const text = await response.text();
  return new QuipuProblem(response.status, documentIn(text), response.headers);
}

function documentIn(text: string): ProblemDocument | undefined {
  try {
    const document = JSON.parse(text) as ProblemDocument | null;
    return typeof document?.code === 'string' ? document : undefined;
  } catch {
    return undefined; // A proxy responded.
  }
}

/** Reads a number of seconds or an HTTP date. */
function retryAfterMs(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
