import type { Component } from './component.ts';
import { bothVersions } from './mounts.ts';

/** Settings of a tenant for all its organizations: the metadata indexes. */
export const settings: Component = {
  name: 'settings',
  mounts: bothVersions,
  routes: () => import('./settings/routes.ts'),
  descriptions: () => import('./settings/descriptions.ts'),
  examples: () => import('#src/resources/settings/examples.json', { with: { type: 'json' } }),
  refusals: () => import('./settings/refusals.ts'),
  deciders: () => import('./settings/deciders.ts'),
  processes: () => import('./settings/processes.ts'),
  indexed: () => import('#src/events/settings/indexed.ts'),
  projections: () => import('./settings/projections.ts'),
  renderers: () => import('#queries/settings/renderers.ts'),
  audit: () => import('#src/verify/settings/audit.ts'),
};
