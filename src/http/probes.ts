import type { Router } from 'express';
import { formatInstant } from '#src/kernel/instant.ts';
import { OPEN } from '#src/kernel/permission.ts';
import type { Clock } from '#src/ports/clock.ts';
import { routerOf } from './express-routers.ts';
import type { Metrics } from './metrics.ts';
import { once } from './once.ts';
import { ok, type Reply } from './reply.ts';
import { route, type Route } from './route.ts';
import type { Readiness } from './services.ts';

/** The version data that /version returns. */
export type About = Readonly<{
  /** The version of the API (contract ledger §1.9). */
  version: string;
  /** The version of this program. */
  programVersion: string;
  commit: string;
  buildTime: string;
  /** True if the sources may differ from the commit. */
  dirty: () => Promise<boolean>;
}>;

/** Served on every listener; not part of the description of the API (contract ledger §1.9). */
export function probes(parts: {
  about: About;
  clock: Clock;
  metrics: Metrics;
  readiness: () => Readiness | Promise<Readiness>;
  openapi: () => Promise<object>;
  /** Requires a permission for /metrics, because other machines reach the server. */
  guardsMetrics: boolean;
}): Router {
  const { about, clock, metrics, readiness } = parts;
  const openapi = once(async () => ok(JSON.stringify(await parts.openapi())));
  return routerOf([
    probe('health', () => text('healthy', 'text/plain; charset=utf-8')),
    probe('readyz', async () => {
      const { ready, checks, deploymentMode } = await readiness();
      const body = JSON.stringify({
        status: ready ? 'healthy' : 'unhealthy',
        checks,
        version: about.version,
        deployment_mode: deploymentMode,
      });
      return { status: ready ? 200 : 503, body };
    }),
    probe('version', async () => {
      const requestDate = formatInstant(clock.now());
      return ok(JSON.stringify({ ...about, dirty: await about.dirty(), requestDate }));
    }),
    probe(
      'metrics',
      async () => text(await metrics.registry.metrics(), metrics.registry.contentType),
      parts.guardsMetrics ? 'metrics:get' : OPEN,
    ),
    probe('openapi.json', openapi),
  ]);
}

export const probe = (
  name: string,
  handle: Route['handle'],
  permission: typeof OPEN | 'metrics:get' = OPEN,
): Route =>
  route({
    operationId: name,
    summary: name,
    tag: 'Probes',
    method: 'get',
    path: `/${name}`,
    permission,
    entityType: 'Probe',
    replies: {},
    refusals: [],
    whileStarting: true,
    handle,
  });

const text = (body: string, type: string): Reply => ok(body, { headers: { 'Content-Type': type } });
