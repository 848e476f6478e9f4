/** A line of the log, parsed. */
export type LogLine = Readonly<{ level: string; time: string; role: string; message: string }> &
  Readonly<Record<string, unknown>>;

/** The complete lines of JSON in what a server wrote. */
export const logLines = (output: string): readonly LogLine[] =>
  output
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);

/** Returns a filter for text that arrives in pieces: the lines of the request log would bury the others. */
export function withoutRequests(): (text: string) => string {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    return lines
      .filter((line) => !line.endsWith('"message":"request"}'))
      .map((line) => `${line}\n`)
      .join('');
  };
}
