import { identityCodes } from '#src/resources/access/codes.ts';
import type { Component } from './component.ts';

/** The users, groups and applications of a tenant, and what they may do. */
export const access: Component = {
  name: 'access',
  codes: identityCodes,
  mounts: (['/v1', '/.well-known'] as const).map((prefix) => ({
    ...{ prefix, version: 1, alwaysChecked: true },
    ...{ listener: 'AUTH_PORT', rateLimit: 'general' },
  })),
  routes: () => import('./access/routes.ts'),
  descriptions: () => import('./access/descriptions.ts'),
  examples: () => import('#src/resources/access/examples.json', { with: { type: 'json' } }),
  refusals: () => import('./access/refusals.ts'),
  settings: () => import('./access/settings.ts'),
  services: () => import('./access/services.ts'),
  deciders: () => import('./access/deciders.ts'),
  audit: () => import('#src/verify/access/audit.ts'),
};
