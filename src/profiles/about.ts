import type { About } from '#src/http/probes.ts';

/**
 * What /version tells. A deployment says which sources it runs by the variables its build sets; a checkout started
 * by hand says that it does not know, rather than asking version control on every start.
 */
export const about: About = {
  version: 'v4.0.0',
  commit: process.env['QUIPU_COMMIT'] ?? 'unknown',
  buildTime: process.env['QUIPU_BUILD_TIME'] ?? '',
  dirty: process.env['QUIPU_COMMIT'] === undefined,
};
