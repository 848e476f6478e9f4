import type { Component } from './component.ts';

/** The clients of either form of version 1 know a reference to nothing by another status. */
const UNKNOWN_BY_HEADER = { code: 'CRM-0015', legacyCode: '0047', kind: 'validation' } as const;
const UNKNOWN_BY_PATH = { legacyCode: '0007', kind: 'absent' } as const;

/** The customers of an organization, whose personal data is encrypted. */
export const registry: Component = {
  name: 'registry',
  codes: {
    METADATA_NESTED: 'CRM-0001',
    METADATA_KEY_TOO_LONG: 'CRM-0002',
    REQUIRED_FIELDS: 'CRM-0003',
    MALFORMED_FIELD: { code: 'CRM-0004', legacyCode: '0094' },
    PATH_INVALID: 'CRM-0005',
    UNEXPECTED_FIELDS: 'CRM-0007',
    LIMIT_TOO_HIGH: 'CRM-0009',
    SORT_ORDER_INVALID: 'CRM-0011',
    METADATA_VALUE: 'CRM-0012',
    INTERNAL: 'CRM-0014',
    BODY_UNREADABLE: { code: 'CRM-0015', legacyCode: '0047' },
    QUERY_INVALID: 'CRM-0016',
    BOTH_DATES_NEEDED: { code: 'CRM-0016', legacyCode: '0082' },
    DATE_FORMAT: { code: 'CRM-0016', legacyCode: '0082' },
    END_BEFORE_START: { code: 'CRM-0016', legacyCode: '0082' },
    WINDOW_TOO_LONG: { code: 'CRM-0016', legacyCode: '0082' },
  },
  descriptions: () => import('./registry/descriptions.ts'),
  examples: () => import('#src/resources/registry/examples.json', { with: { type: 'json' } }),
  refusals: () => import('./registry/refusals.ts'),
  mounts: [
    {
      prefix: '/v1',
      version: 1,
      namespace: 'plugin-crm',
      parameter: {
        header: 'X-Organization-Id',
        segments: '/organizations/{organization_id}',
        absent: 'ORGANIZATION_HEADER_MISSING',
        malformed: 'ORGANIZATION_HEADER_INVALID',
      },
      renames: { instruments: 'aliases', instrument_id: 'alias_id' },
      codes: {
        HOLDER_HAS_INSTRUMENTS: { kind: 'validation' },
        INSTRUMENT_LEDGER_NOT_FOUND: UNKNOWN_BY_HEADER,
        INSTRUMENT_ACCOUNT_NOT_FOUND: UNKNOWN_BY_HEADER,
      },
    },
    { prefix: '/v2', version: 2, copies: { prefix: '/v1', idSuffix: 'V2' } },
    {
      prefix: '/v1',
      version: 2,
      bodies: 1,
      copies: { prefix: '/v1', idSuffix: 'ByPath' },
      codes: {
        INSTRUMENT_LEDGER_NOT_FOUND: UNKNOWN_BY_PATH,
        INSTRUMENT_ACCOUNT_NOT_FOUND: UNKNOWN_BY_PATH,
      },
    },
  ],
  routes: () => import('./registry/routes.ts'),
  services: () => import('./registry/services.ts'),
  deciders: () => import('./registry/deciders.ts'),
  processes: () => import('./registry/processes.ts'),
  indexed: () => import('#src/events/registry/indexed.ts'),
  projections: () => import('./registry/projections.ts'),
  renderers: () => import('#queries/registry/renderers.ts'),
  definitions: () => import('#src/bridge/registry/definitions.ts'),
  audit: () => import('#src/verify/registry/audit.ts'),
};
