import { request } from 'node:http';

/**
 * Sends lines and answers the lines that came back whole, also when the connection broke: what was answered counts.
 * Ends with the answer, or with the connection.
 */
export function stream(
  port: number,
  path: string,
  lines: readonly string[],
  timeoutMs: number,
): Promise<Readonly<{ answered: readonly string[]; status: number | undefined }>> {
  const { promise, resolve } = Promise.withResolvers<{ answered: string[]; status?: number }>();
  const answered: string[] = [];
  let status: number | undefined;
  let text = '';
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const call = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
    status = answer.statusCode;
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      const whole = (text + chunk).split('\n');
      text = whole.pop() ?? '';
      answered.push(...whole);
    });
    answer.on('error', () => call.destroy());
  });
  call.setTimeout(timeoutMs, () => call.destroy());
  call.on('error', () => undefined); // It closes then.
  call.on('close', () => {
    resolve({ answered, ...(status !== undefined && { status }) });
  });
  call.end(lines.map((line) => line + '\n').join(''));
  return promise as Promise<{ answered: string[]; status: number | undefined }>;
}
