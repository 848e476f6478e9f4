import { nameOf } from './names.ts';

/** Requests as texts; bodies are ASCII, so that a character is a byte. */
export function post(path: string, headers: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `${headers}Content-Length: ${String(body.length)}\r\n\r\n${body}`
  );
}

export function get(path: string, run: number, seq: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${requestId(run, seq)}\r\n`;
}

export const requestId = (run: number, seq: number): string =>
  `X-Request-Id: req-${nameOf(run, seq)}\r\n`;

/** Says so when a text does not hold a part that it must. */
export function missing(text: string, part: string): string | undefined {
  return text.includes(part) ? undefined : `misses ${part}`;
}
