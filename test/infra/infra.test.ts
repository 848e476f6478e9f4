import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '#src/bootstrap/settings.ts';
import { removeFolder, temporaryFolder } from '#test/support/server.ts';
import { describeWithTools, runTool } from './tools.ts';

const root = join(import.meta.dirname, '..', '..');
const infra = (...path: string[]): string => join(root, 'infra', ...path);
const text = (path: string): string => readFileSync(path, 'utf8');
const succeeded = ({ code, text }: ReturnType<typeof runTool>) => {
  if (code !== 0) throw new Error(text);
};

describeWithTools('the image', ['hadolint'], () => {
  it('has a Dockerfile without findings', () => {
    succeeded(runTool('hadolint', [infra('Dockerfile')]));
  });
});

describe('infra/image', () => {
  const folder = temporaryFolder();
  after(() => removeFolder(folder));

  it('builds the commit that is checked out, and passes it with the time', () => {
    // There is no Docker engine to test with: this takes its place, and shows what it was asked.
    const docker = join(folder, 'docker');
    writeFileSync(docker, '#!/bin/sh\nprintf "%s\\n" "$@"\ntar -t | sed "s/^/context: /"\n');
    chmodSync(docker, 0o755);
    const asked = runTool('env', [
      `PATH=${folder}:${process.env['PATH'] ?? ''}`,
      infra('image'),
      '--pull',
    ]);
    const commit = runTool('git', ['-C', root, 'rev-parse', 'HEAD']).stdout.trim();
    const { version } = JSON.parse(text(join(root, 'package.json'))) as { version: string };
    expect(asked.code).to.equal(0);
    const lines = asked.stdout.split('\n');
    expect(lines).to.include.members([
      'build',
      'infra/Dockerfile',
      `quipu:${version}`,
      '--pull',
      '-',
    ]);
    expect(lines).to.include(`QUIPU_COMMIT=${commit}`);
    expect(lines).to.include(`org.opencontainers.image.revision=${commit}`);
    expect(asked.stdout).to.match(/^QUIPU_BUILD_TIME=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
    expect(lines).to.include.members(['context: src/main.ts', 'context: .dockerignore']);
  });
});

describeWithTools('the unit for systemd', ['systemd-analyze'], () => {
  it('is accepted by systemd, with a checkout in place of /opt/quipu', () => {
    const folder = temporaryFolder();
    const unit = join(folder, 'quipu.service');
    writeFileSync(unit, text(infra('systemd', 'quipu.service')).replaceAll('/opt/quipu', root));
    const verified = runTool('systemd-analyze', ['verify', unit]);
    removeFolder(folder);
    expect(verified).to.include({ code: 0, text: '' });
  });
});

describeWithTools('Prometheus', ['promtool'], () => {
  it('accepts its configuration and the rules', () => {
    succeeded(runTool('promtool', ['check', 'config', infra('prometheus', 'prometheus.yml')]));
  });

  it('raises each alert when it should, and not before', () => {
    const folder = temporaryFolder();
    const tests = join(import.meta.dirname, 'alerts.yml');
    const rules = infra('prometheus', 'alerts.yml');
    copyFileSync(tests, join(folder, 'test.yml'));
    copyFileSync(rules, join(folder, 'rules.yml'));
    const tested = runTool('promtool', ['test', 'rules', join(folder, 'test.yml')]);
    removeFolder(folder);
    succeeded(tested);
    const alerts = [...text(rules).matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name);
    expect(alerts).to.have.length.above(8);
    const played = text(tests);
    for (const name of alerts)
      expect(played).to.match(new RegExp(`alertname: ${name}\n +exp_alerts:`));
  });
});

describeWithTools('the Helm chart', ['helm', 'kubectl-validate'], function () {
  const chart = infra('helm', 'quipu');
  const files = readdirSync(join(import.meta.dirname, 'values'));
  const valuesOf = (file: string): string[] => [
    '--values',
    join(import.meta.dirname, 'values', file),
  ];
  const template = (...args: string[]) =>
    runTool('helm', ['template', 'bank', chart, '--namespace', 'money', ...args]);
  const native = (manifests: string): string =>
    manifests
      .split(/^---$/m)
      .filter((one) => !one.includes('apiVersion: monitoring.coreos.com/'))
      .join('---');

  for (const file of files) {
    it(`passes lint and yields what Kubernetes accepts with ${file}`, () => {
      succeeded(runTool('helm', ['lint', '--strict', chart, ...valuesOf(file)]));
      const rendered = template(...valuesOf(file));
      succeeded(rendered);
      const folder = temporaryFolder();
      const manifests = join(folder, 'manifests.yaml');
      writeFileSync(manifests, native(rendered.stdout));
      for (const version of ['1.25', '1.30']) {
        succeeded(runTool('kubectl-validate', [manifests, '--version', version]));
      }
      removeFolder(folder);
    });

    it(`sets what the product knows with ${file}, in a way it starts with`, () => {
      const { stdout } = template(...valuesOf(file));
      const pods = stdout.split(/^---$/m).filter((one) => one.includes('containers:'));
      expect(pods).to.have.length(file === 'distributed.yaml' ? 2 : 1);
      for (const pod of pods) {
        const env = Object.fromEntries(
          [...pod.matchAll(/- \{ name: ([A-Z_]+), value: ["']?(.*?)["']? \}$/gm)].map(
            ([, name = '', value = '']) => [name, value],
          ),
        );
        expect(env).to.include({ HOST: '0.0.0.0', PORT: '3000' });
        const warnings: string[] = [];
        const secret = pod.includes('secretRef:') ? SECRET : {};
        readSettings({ ...env, ...secret }, (warning) => warnings.push(warning));
        expect(warnings).to.deep.equal([]);
      }
    });
  }

  it('runs each pod without privileges, on a read-only root, and gives it time to finish', () => {
    for (const file of ['embedded.yaml', 'distributed.yaml']) {
      const pods = template(...valuesOf(file))
        .stdout.split('containers:')
        .slice(1);
      for (const pod of pods) {
        expect(pod).to.include('readOnlyRootFilesystem: true');
        expect(pod).to.include('allowPrivilegeEscalation: false');
        expect(pod).to.include('drop: [ALL]');
        expect(pod).to.match(/livenessProbe:\s+httpGet: \{ path: \/health, /);
        expect(pod).to.match(/readinessProbe:\s+httpGet: \{ path: \/readyz, /);
      }
      const rendered = template(...valuesOf(file)).stdout;
      expect(rendered.match(/runAsNonRoot: true/g)).to.have.length(pods.length);
      expect(rendered.match(/terminationGracePeriodSeconds: 20/g)).to.have.length(pods.length);
    }
  });

  it('has one replica embedded, and budgets for disruption distributed', () => {
    const kinds = (manifests: string) =>
      [...manifests.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind).sort();
    const embedded = template(...valuesOf('embedded.yaml'), '--set', 'api.replicas=5').stdout;
    expect(kinds(embedded)).to.deep.equal(['Service', 'StatefulSet']);
    expect(embedded).to.include('replicas: 1\n');
    expect(kinds(template(...valuesOf('distributed.yaml')).stdout)).to.deep.equal([
      ...['Deployment', 'Deployment', 'PodDisruptionBudget', 'PodDisruptionBudget'],
      ...['Service', 'Service'],
    ]);
  });

  it('installs the alerts of infra/prometheus and scrapes every process', () => {
    const stdout = template(...valuesOf('monitored.yaml')).stdout.replaceAll(/ +$/gm, '');
    const alerts = text(infra('prometheus', 'alerts.yml'));
    expect(stdout).to.include(alerts.trimEnd().replaceAll(/^(?=.)/gm, '  '));
    expect(stdout).to.match(
      /kind: ServiceMonitor\n(?:.*\n)+? +jobLabel: app.kubernetes.io\/name\n/,
    );
    expect(stdout).to.match(/interval: 15s\n +path: \/metrics\n +port: http\n +scrapeTimeout: 10s/);
  });

  it('refuses values that cannot work, and says why', () => {
    for (const [values, why] of [
      ['profile=both', "'/profile': value must be one of"],
      ['typo=1', "additional properties 'typo' not allowed"],
      ['settings.PORT=80', 'settings.PORT: the chart sets it'],
      ['settings.CRM_HASH_SECRET_KEY=aa', 'is a secret: put it in a Secret'],
      ['service.port=0', "'/service/port'"],
      ['persistence.size=much', "'/persistence/size'"],
      ['leaveSeconds=5', 'settings: set PLUGIN_AUTH_ENABLED to true'],
      ['profile=distributed', 'existingSecret: the distributed profile needs'],
    ] as const) {
      const { code, text } = template('--set', values);
      expect(code, values).to.equal(1);
      expect(text).to.include(why);
    }
  });

  it('is of the version of the program', () => {
    const { version } = JSON.parse(text(join(root, 'package.json'))) as { version: string };
    expect(text(join(chart, 'Chart.yaml'))).to.match(new RegExp(`^appVersion: ${version}$`, 'm'));
  });
});

/** The settings that existingSecret must hold. */
const SECRET = { CRM_ENCRYPT_SECRET_KEY: '1'.repeat(64), CRM_HASH_SECRET_KEY: '2'.repeat(64) };
