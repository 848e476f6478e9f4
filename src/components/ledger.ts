import type { Component } from './component.ts';
import { bothVersions } from './mounts.ts';

/** Organizations, ledgers, and the records and transactions in them. */
export const ledger: Component = {
  name: 'ledger',
  mounts: bothVersions,
  routes: () => import('./ledger/routes.ts'),
  descriptions: () => import('./ledger/descriptions.ts'),
  examples: () => import('#src/resources/ledger/examples.json', { with: { type: 'json' } }),
  refusals: () => import('./ledger/refusals.ts'),
  settings: () => import('#commands/ledger/api/services.ts'),
  services: () => import('#commands/ledger/api/services.ts'),
  deciders: () => import('./ledger/deciders.ts'),
  processes: () => import('./ledger/processes.ts'),
  indexed: () => import('#src/events/ledger/indexed.ts'),
  projections: () => import('./ledger/projections.ts'),
  renderers: () => import('#queries/ledger/renderers.ts'),
  definitions: () => import('#src/bridge/ledger/definitions.ts'),
  audit: () => import('#src/verify/ledger/audit.ts'),
};
