import { instant, record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

const volumes = {
  type: 'array',
  items: record(
    { asset: { type: 'string' }, amount: { type: 'string' }, transactions: { type: 'integer' } },
    ['asset', 'amount', 'transactions'],
  ),
} as const;

/** Contract ledger §6.6. */
export const dashboardMetricsSchema = {
  title: 'DashboardMetrics',
  ...record(
    {
      total: { type: 'integer', description: 'Transactions of any status' },
      byStatus: { type: 'object', additionalProperties: { type: 'integer' } },
      volumeByAsset: volumes,
      reversalsByAsset: volumes,
      windowStart: instant,
      windowEnd: instant,
      updatedAt: instant,
    },
    [
      'total',
      'byStatus',
      'volumeByAsset',
      'reversalsByAsset',
      'windowStart',
      'windowEnd',
      'updatedAt',
    ],
  ),
} as const satisfies Schema;

export const dashboardVolumeSchema = {
  title: 'DashboardVolume',
  ...record(
    {
      points: {
        type: 'array',
        items: record(
          {
            date: { type: 'string', description: 'YYYY-MM-DD' },
            transactions: { type: 'integer', description: 'Of any status' },
            byAsset: volumes,
          },
          ['date', 'transactions', 'byAsset'],
        ),
      },
      windowStart: instant,
      windowEnd: instant,
      updatedAt: instant,
    },
    ['points', 'windowStart', 'windowEnd', 'updatedAt'],
  ),
} as const satisfies Schema;

export const dashboardAssetsSchema = {
  title: 'DashboardAssets',
  ...record(
    {
      assets: {
        type: 'array',
        items: record(
          {
            asset: { type: 'string' },
            accounts: { type: 'integer' },
            available: { type: 'string' },
            onHold: { type: 'string' },
          },
          ['asset', 'accounts', 'available', 'onHold'],
        ),
      },
      updatedAt: instant,
    },
    ['assets', 'updatedAt'],
  ),
} as const satisfies Schema;
