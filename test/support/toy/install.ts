import type { Component } from '#src/components/component.ts';
import { components } from '#src/components/index.ts';

/* Preloaded into every thread of a server, and into commands: they then have a component more. */

const toy: Component = {
  name: 'toy',
  codes: { NOT_FOUND: 'TOY-0007', UNEXPECTED_FIELDS: 'TOY-0053' },
  refusals: () => import('./vouchers.ts'),
  mounts: [
    {
      prefix: '/v1',
      version: 1,
      parameter: {
        header: 'X-Organization-Id',
        segments: '/organizations/{organization_id}',
        absent: 'VOUCHERS_OF_NOBODY',
        malformed: 'VOUCHERS_OF_NO_ORGANIZATION',
      },
      listener: 'VOUCHERS_PORT',
    },
    { prefix: '/v2', version: 2, copies: { prefix: '/v1', idSuffix: 'V2' } },
  ],
  settings: () => import('./settings.ts'),
  services: () => import('./settings.ts'),
  routes: () => import('./routes.ts'),
  deciders: () => import('./vouchers.ts'),
  processes: () => import('./vouchers.ts'),
  indexed: () => import('./vouchers.ts'),
  projections: () => import('./vouchers.ts'),
  renderers: () => import('./vouchers.ts'),
  audit: () => import('./vouchers.ts'),
};

(components as Component[]).push(toy);
