import { HEADER_SEGMENTS } from '#src/resources/fees/forms.ts';
import type { Component } from './component.ts';

/** Packages of fees and of billing, and what they cost. */
export const fees: Component = {
  name: 'fees',
  codes: {
    UNEXPECTED_FIELDS: 'FEE-0001',
    REQUIRED_FIELDS: 'FEE-0002',
    MALFORMED_FIELD: 'FEE-0003',
    INTERNAL: 'FEE-0004',
    QUERY_INVALID: 'FEE-0006',
    DATE_FORMAT: { code: 'FEE-0007', legacyCode: '0077' },
    WINDOW_TOO_LONG: 'FEE-0009',
    BOTH_DATES_NEEDED: 'FEE-0010',
    END_BEFORE_START: { code: 'FEE-0010', legacyCode: '0083' },
    LIMIT_TOO_HIGH: 'FEE-0011',
    NOT_FOUND: 'FEE-0012',
    PATH_INVALID: 'FEE-0016',
    SORT_ORDER_INVALID: 'FEE-0036',
    BODY_UNREADABLE: 'FEE-0041',
    NUMBER_OUT_OF_RANGE: { code: 'FEE-0044', legacyCode: '0206', kind: 'validation' },
    ASSET_NOT_FOUND: { code: 'FEE-0003', legacyCode: '0047', kind: 'validation' },
    VALUE_NOT_POSITIVE: { code: 'FEE-0003', legacyCode: '0047', kind: 'validation' },
    LEG_QUANTITY: 'FEE-0021',
    TOTALS_DIFFER: { code: 'FEE-0037', legacyCode: '0200' },
    UNAVAILABLE: { code: 'FEE-0068', legacyCode: '0228' },
  },
  mounts: [
    {
      prefix: '/v1/in-header',
      version: 1,
      parameter: {
        header: 'X-Organization-Id',
        segments: HEADER_SEGMENTS,
        absent: 'FEE_ORGANIZATION_MISSING',
        malformed: 'FEE_ORGANIZATION_INVALID',
      },
      listener: 'FEES_PORT',
    },
    { prefix: '/v1', version: 2 },
    { prefix: '/v2', version: 2 },
  ],
  routes: () => import('./fees/routes.ts'),
  descriptions: () => import('./fees/descriptions.ts'),
  refusals: () => import('./fees/refusals.ts'),
  settings: () => import('#commands/fees/api/services.ts'),
  services: () => import('#commands/fees/api/services.ts'),
  deciders: () => import('./fees/deciders.ts'),
  projections: () => import('./fees/projections.ts'),
  renderers: () => import('#queries/fees/renderers.ts'),
  definitions: () => import('#src/bridge/fees/definitions.ts'),
  audit: () => import('#src/verify/fees/audit.ts'),
};
