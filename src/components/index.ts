import { access } from './access.ts';
import type { Component } from './component.ts';
import { fees } from './fees.ts';
import { ledger } from './ledger.ts';
import { registry } from './registry.ts';
import { settings } from './settings.ts';
import { streaming } from './streaming.ts';
import { tenants } from './tenants.ts';

/** All components. Every list of API routes, rules or read models is derived from it. */
export const components: readonly Component[] = [
  ...[ledger, registry, fees, settings, streaming, access, tenants],
];

/** The components with operations, in the order in which a reader of the API needs them. */
export const readingOrder: readonly Component[] = [
  ...[ledger, fees, registry, settings, access, streaming],
];
