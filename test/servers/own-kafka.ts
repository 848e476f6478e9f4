import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionTo } from '#src/adapters/kafka/connection.ts';
import { freePort } from '#test/support/free-port.ts';
import { until } from '#test/support/until.ts';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'quipu');
const ENGINE = join(import.meta.dirname, '..', '..', 'infra', 'engines', 'kafka');

/** The jars that `infra/engines/up` fetched; undefined where it never ran. */
export function fetchedJars(): string | undefined {
  try {
    const folder = readdirSync(CACHE).find((name) => /^kafka-[0-9a-f]+$/.test(name));
    return folder && join(CACHE, folder);
  } catch {
    return undefined;
  }
}

export const hasOwnKafka = (): boolean => fetchedJars() !== undefined;

/** Additions to the broker of a suite. */
export type OwnKafkaAdditions = Readonly<{
  /** Returns settings, which replace earlier ones of the same name. */
  settings: (at: Readonly<{ dir: string; port: number; controller: number }>) => string;
  /** Arguments of the tool that formats the storage. */
  format: readonly string[];
}>;

/** A broker of one suite, which may be killed: those that other suites use go on. */
export async function startOwnKafka(more?: OwnKafkaAdditions) {
  const jars = fetchedJars();
  if (jars === undefined) throw new Error('infra/engines/up has fetched no Kafka');
  const dir = mkdtempSync(join(tmpdir(), 'own-kafka-'));
  const [port, controller] = [await freePort(), await freePort()];
  const config = join(dir, 'server.properties');
  const text = readFileSync(join(ENGINE, 'server.properties'), 'utf8')
    .replaceAll('9092', String(port))
    .replaceAll('9093', String(controller))
    .replaceAll('@DATA@', join(dir, 'data'));
  // Members of groups are killed too, and the next ones need not wait for long.
  const added = more?.settings({ dir, port, controller }) ?? '';
  writeFileSync(config, `${text}\ngroup.min.session.timeout.ms=500\n${added}`);
  const java = [
    ...[
      '-Xms128m',
      '-Xmx384m',
      `-Dlog4j2.configurationFile=file:${join(ENGINE, 'log4j2.properties')}`,
    ],
    ...['-cp', `${jars}/*`],
  ];
  const tool = (...args: string[]): string =>
    execFileSync('java', [...java, 'kafka.tools.StorageTool', ...args], { encoding: 'utf8' });
  const clusterId = tool('random-uuid').trim();
  tool('format', '--cluster-id', clusterId, '--config', config, ...(more?.format ?? []));
  const brokers = [`127.0.0.1:${port}`];
  let broker: ChildProcess | undefined;

  const isUp = async (): Promise<boolean> => {
    const admin = connectionTo({ brokers, clientId: 'own-kafka' }).admin({ retry: { retries: 0 } });
    try {
      await admin.connect();
      await admin.listTopics();
      return true;
    } catch {
      await pause(LOOK_MS);
      return false;
    } finally {
      await admin.disconnect().catch(() => {});
    }
  };
  const own = {
    brokers,
    async up() {
      for (let tries = 1; ; tries += 1) {
        const started = spawn('java', [...java, 'kafka.Kafka', config], { stdio: 'ignore' });
        broker = started;
        try {
          await until(
            async () => started.exitCode !== null || (await isUp()),
            60_000,
            'Kafka is up',
          );
          if (started.exitCode === null) return;
        } catch (error) {
          if (tries === STARTS_MAX) throw error;
        }
        if (tries === STARTS_MAX) throw new Error('Kafka does not stay up');
      }
    },
    /** As a power cut would end it. */
    async kill() {
      const victim = broker;
      broker = undefined;
      if (victim?.exitCode !== null) return;
      const ended = once(victim, 'exit');
      victim.kill('SIGKILL');
      await ended;
    },
    async remove() {
      await own.kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  await own.up();
  return own;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const LOOK_MS = 300;
const STARTS_MAX = 3;
