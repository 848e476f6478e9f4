import type { Component } from './component.ts';

/** The events that the platform publishes, and who delivers them. */
export const streaming: Component = {
  name: 'streaming',
  mounts: [
    { prefix: '/v1', version: 1 },
    { prefix: '/api/v1', version: 1 },
    { prefix: '/system', version: 1 },
  ],
  routes: () => import('./streaming/routes.ts'),
  descriptions: () => import('./streaming/descriptions.ts'),
  examples: () => import('#src/resources/streaming/examples.json', { with: { type: 'json' } }),
  refusals: () => import('./streaming/refusals.ts'),
  settings: () => import('./streaming/services.ts'),
  services: () => import('./streaming/services.ts'),
  deciders: () => import('./streaming/deciders.ts'),
  projections: () => import('./streaming/projections.ts'),
  renderers: () => import('#queries/streaming/renderers.ts'),
  audit: () => import('#src/verify/streaming/audit.ts'),
};
