import type { Component } from './component.ts';

/** The tenants of a deployment. Only the command line and the server itself change them, so it has no operations. */
export const tenants: Component = {
  name: 'tenants',
  mounts: [],
  routes: () => import('./tenants/routes.ts'),
  audit: () => import('#src/verify/tenants/audit.ts'),
};
