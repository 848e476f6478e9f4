import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** Runs a tool on `stdin`. `text` is what it wrote to stdout and stderr. */
export function runTool(name: string, args: readonly string[], stdin = '') {
  const { status, stdout, stderr } = spawnSync(name, args, {
    ...{ input: stdin, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    env: { ...process.env, PATH },
  });
  return { code: status, stdout, text: stdout + stderr };
}

/** Runs the tests of a tool; they are pending without it, unless REQUIRE_INFRA_TOOLS is set. */
export function describeWithTools(
  title: string,
  tools: readonly string[],
  tests: () => void,
): void {
  const missing = tools.filter(
    (tool) => spawnSync('which', [tool], { env: { PATH } }).status !== 0,
  );
  if (missing.length === 0) describe(title, tests);
  else if (process.env['REQUIRE_INFRA_TOOLS'] !== undefined) {
    it(title, () => {
      throw new Error(`There is no ${missing.join(', ')}: infra/tools/fetch`);
    });
  } else describe.skip(`${title} (without ${missing.join(', ')})`, tests);
}

const PATH = [process.env['INFRA_TOOLS'], process.env['PATH']]
  .filter((folders) => folders !== undefined)
  .join(delimiter);
