import type { Component } from '#src/components/component.ts';
import { bothVersions } from '#src/components/mounts.ts';
import { components } from '#src/components/index.ts';

/* Preloaded into every thread of a server, and into commands: they then have a component more. */

const toy: Component = {
  name: 'toy',
  codes: { NOT_FOUND: 'TOY-0007', UNEXPECTED_FIELDS: 'TOY-0053' },
  refusals: () => import('./vouchers.ts'),
  mounts: bothVersions,
  routes: () => import('./routes.ts'),
  deciders: () => import('./vouchers.ts'),
  processes: () => import('./vouchers.ts'),
  indexed: () => import('./vouchers.ts'),
  projections: () => import('./vouchers.ts'),
  renderers: () => import('./vouchers.ts'),
  audit: () => import('./vouchers.ts'),
};

(components as Component[]).push(toy);
