import { execFile } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '#test/support/python.ts';
import { jarOfGenerator, nodeModules } from './tools.ts';

/** A client is generated in the folder, from the description. */
export type Workshop = Readonly<{ description: string; folder: string; env: NodeJS.ProcessEnv }>;

/** Generates a client, compiles it with its story, and returns what the story printed. */
type Generator = (workshop: Workshop) => Promise<string>;

export const generators: Readonly<Record<string, Generator>> = {
  'openapi-typescript and openapi-fetch': (workshop) =>
    inTypeScript('openapi-fetch', workshop, (modules, client) => [
      ...[process.execPath, join(modules, 'openapi-typescript', 'bin', 'cli.js')],
      ...[workshop.description, '--output', join(client, 'schema.d.ts')],
      // Otherwise it makes members of requests required that have a default.
      '--default-non-nullable=false',
    ]),

  '@hey-api/openapi-ts': (workshop) =>
    inTypeScript('hey-api', workshop, (modules) => [
      ...[process.execPath, join(modules, '@hey-api', 'openapi-ts', 'bin', 'run.js')],
      ...['--file', join(TOOLS, 'openapi-ts.config.js'), '--input', workshop.description],
      '--no-log-file',
    ]),

  'openapi-generator for TypeScript': async (workshop) => {
    const command = await openapiGenerator('typescript-fetch', workshop);
    return inTypeScript('typescript-fetch', workshop, (_, client) => [
      ...[...command, '-o', client, '--additional-properties', 'importFileExtension=.js'],
    ]);
  },

  async 'openapi-generator for Go'(workshop) {
    const { folder, env } = workshop;
    const command = await openapiGenerator('go', workshop);
    const names = [
      '--git-host',
      'example.com',
      '--git-user-id',
      'quipu',
      '--git-repo-id',
      'client',
    ];
    await call([...command, '-o', folder, ...names, '--package-name', 'quipu'], workshop);
    cpSync(join(STORIES, 'story.go'), join(folder, 'story', 'main.go'));
    await call(['go', 'build', '-o', join(folder, 'told'), './story'], workshop);
    return call([join(folder, 'told')], { folder, env });
  },

  async 'openapi-generator for Python'(workshop) {
    const command = await openapiGenerator('python', workshop);
    await call([...command, '-o', workshop.folder, '--package-name', 'quipu_client'], workshop);
    const python = await pythonWith('generated-clients', join(TOOLS, 'requirements.txt'));
    cpSync(join(STORIES, 'story.py'), join(workshop.folder, 'story.py'));
    return call([python, '-W', 'error', join(workshop.folder, 'story.py')], workshop);
  },
};

async function inTypeScript(
  story: string,
  workshop: Workshop,
  generate: (modules: string, client: string) => readonly string[],
): Promise<string> {
  const { folder } = workshop;
  const modules = await nodeModules();
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  cpSync(join(STORIES, `${story}.ts`), join(folder, 'story.ts'));
  await call(generate(modules, join(folder, 'client')), workshop);
  await call([process.execPath, join(modules, 'typescript', 'bin', 'tsc')], workshop);
  return call([process.execPath, join(folder, 'told', 'story.js')], workshop);
}

const TSCONFIG = {
  compilerOptions: {
    ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'] },
    ...{
      module: 'nodenext',
      moduleResolution: 'nodenext',
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
    },
    outDir: 'told',
  },
  files: ['story.ts'],
};

async function openapiGenerator(language: string, { description }: Workshop) {
  const java = ['java', '-Xmx1500m', '-XX:TieredStopAtLevel=1', '-jar', await jarOfGenerator()];
  const only = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  return [...java, 'generate', '-g', language, '-i', description, '--global-property', only];
}

/** Returns what a command wrote to stdout; it fails with the end of what it wrote. */
async function call(
  [program = '', ...args]: readonly string[],
  { folder, env }: Pick<Workshop, 'folder' | 'env'>,
): Promise<string> {
  try {
    return (await run(program, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const said = `${stdout}\n${stderr}`.trim().slice(-4000);
    throw new Error(`${program} ${args.join(' ')}\n${said}`, { cause: error });
  }
}

const run = promisify(execFile);
const TOOLS = join(import.meta.dirname, 'tools');
const STORIES = join(import.meta.dirname, 'stories');
