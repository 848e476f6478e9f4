import type { Component } from './component.ts';
import { ledger } from './ledger.ts';
import { settings } from './settings.ts';

/** All components. Every list of API routes, rules or read models is derived from it. */
export const components: readonly Component[] = [ledger, settings];
