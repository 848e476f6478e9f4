import { bornAt, projection, put } from '#projections/projection.ts';
import { rendererOf } from '#queries/renderer.ts';
import type { Decider } from '#src/kernel/decider.ts';
import {
  refuseAny,
  type PlatformRefusalName,
  type RefusalFacts,
  type Refuse,
} from '#src/kernel/errors.ts';
import { explained } from '#src/kernel/explanation.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { IndexedEvents, OpenProcessOf } from '#src/kernel/index-table.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { Process } from '#src/journal/process.ts';
import type { Recorded } from '#src/ports/projection.ts';
import { differ } from '#src/verify/difference.ts';
import type { AuditRules } from '#src/verify/rules.ts';
import { createLabelRules, labelDecider, labelProjection, labelRenderers } from './labels.ts';

/*
 * A component that is not the platform's: vouchers of a tenant, each with a name of its own, and their redemption, which is recorded
 * in a second journal. Its routes are in routes.ts.
 */

export type Voucher = Readonly<{
  id: Uuid;
  name: string;
  status: 'ISSUED' | 'REDEEMING' | 'REDEEMED';
  createdAt: Instant;
}>;

type Changed = Readonly<{ voucher: Voucher }>;
export type VoucherEvent = Readonly<
  | { type: 'VoucherIssued'; data: Changed }
  | { type: 'VoucherRedemptionBegun'; data: Changed }
  | { type: 'VoucherRedeemed'; data: Changed }
>;
export type VoucherCommand = Readonly<
  | { type: 'IssueVoucher'; name: string }
  | { type: 'BeginRedemption'; id: Uuid }
  | { type: 'SettleRedemption'; id: Uuid }
>;
export type RedemptionEvent = Readonly<{ type: 'RedemptionRecorded'; data: Changed }>;
export type RedemptionCommand = Readonly<{ type: 'RecordRedemption'; voucher: Voucher }>;

export const vouchersJournal = (tenantId: string) => ({
  name: `vouchers-${tenantId}` as JournalName,
  takes: undefined as unknown as (command: VoucherCommand) => VoucherEvent,
});
const redemptionJournal = (id: Uuid) => ({
  name: `redemption-${id}` as JournalName,
  takes: undefined as unknown as (command: RedemptionCommand) => RedemptionEvent,
});

// Refusals

const facts = {
  VOUCHER_NAME_TAKEN: { code: 'TOY-0001', kind: 'clash', title: 'Voucher name taken' },
} as const satisfies Record<string, RefusalFacts>;

export const refusals = explained(facts, {
  VOUCHER_NAME_TAKEN: {
    means: 'Another voucher of the tenant has this name. Choose another one.',
    detail: 'The name "gift" is taken.',
  },
});

const refuse: Refuse<keyof typeof facts | PlatformRefusalName> = refuseAny;

// Rules

type Vouchers = Map<Uuid, Voucher>;

const vouchersDecider: Decider<Vouchers, VoucherCommand, VoucherEvent> = {
  category: 'vouchers',
  snapshotVersion: 1,
  initialState: () => new Map(),
  needs: () => undefined,
  decide(vouchers, command, _, { ids, instant }) {
    if (command.type === 'IssueVoucher') {
      const { name } = command;
      if ([...vouchers.values()].some((voucher) => voucher.name === name)) {
        throw refuse('VOUCHER_NAME_TAKEN', `The name "${name}" is taken.`);
      }
      const voucher = { id: ids.next(), name, status: 'ISSUED', createdAt: instant } as const;
      return [{ type: 'VoucherIssued', data: { voucher } }];
    }
    const voucher = vouchers.get(command.id);
    if (voucher === undefined) throw refuse('NOT_FOUND', 'There is no such voucher.');
    const changedTo = (status: Voucher['status']) => ({ voucher: { ...voucher, status } });
    if (command.type === 'SettleRedemption') {
      return [{ type: 'VoucherRedeemed', data: changedTo('REDEEMED') }];
    }
    return [{ type: 'VoucherRedemptionBegun', data: changedTo('REDEEMING') }];
  },
  evolve: (vouchers, { data: { voucher } }) => void vouchers.set(voucher.id, voucher),
  fact: () => undefined,
  toSnapshot: (vouchers) => [JSON.stringify([...vouchers])],
  fromSnapshot: ([chunk = '[]']) => new Map(JSON.parse(chunk) as [Uuid, Voucher][]),
};

const redemptionDecider: Decider<{ voucher?: Voucher }, RedemptionCommand, RedemptionEvent> = {
  category: 'redemption',
  snapshotVersion: 1,
  initialState: () => ({}),
  needs: () => undefined,
  decide: (known, { voucher }) =>
    known.voucher === undefined ? [{ type: 'RedemptionRecorded', data: { voucher } }] : [],
  evolve(known, { data: { voucher } }) {
    known.voucher = voucher;
  },
  fact: () => undefined,
  toSnapshot: (known) => [JSON.stringify(known)],
  fromSnapshot: ([chunk = '{}']) => JSON.parse(chunk) as { voucher?: Voucher },
};

export const deciders = [vouchersDecider, redemptionDecider, labelDecider];

// A process over two journals

const redemption = {
  begins: { VoucherRedemptionBegun: ({ voucher }) => voucher.id },
  ends: { VoucherRedeemed: ({ voucher }) => ({ key: voucher.id }) },
} satisfies OpenProcessOf<VoucherEvent>;

export const indexed: IndexedEvents = { names: {}, processes: [redemption] };

const redemptionProcess: Process<VoucherEvent & { type: 'VoucherRedemptionBegun' }> = {
  open: redemption,
  async resume({ submit }, { journal, event: { data } }) {
    const { voucher } = data;
    await submit(redemptionJournal(voucher.id), { type: 'RecordRedemption', voucher });
    const settle = { type: 'SettleRedemption', id: voucher.id } as const;
    await submit({ ...vouchersJournal(''), name: journal }, settle);
  },
};

export const processes = [redemptionProcess];

// Read side

const whole = ({ data: { voucher }, tenantId, revision }: Recorded<Changed>) =>
  put({
    id: voucher.id,
    born: bornAt(revision),
    keys: { tenantId, createdAt: voucher.createdAt },
    body: JSON.stringify(voucher),
  });

export const voucherProjection = projection<VoucherEvent>(
  {
    name: 'voucher',
    version: 1,
    keys: { tenantId: 'text', createdAt: 'text' },
    indexes: [['tenantId']],
  },
  { VoucherIssued: whole, VoucherRedemptionBegun: whole, VoucherRedeemed: whole },
);
export const projections = [voucherProjection, labelProjection];

export const voucherText = rendererOf((voucher: Voucher) => voucher);
export const renderers = { rows: { voucher: voucherText, ...labelRenderers }, entries: {} };

// Verification

const rulesOf = (category: string, types: readonly string[]) => (): AuditRules => ({
  open: (_, name = category) =>
    name.startsWith(category) ? name : differ(`it begins a journal of ${category}`),
  apply: (type) => types.includes(type),
  transactions: () => 0,
});

export const audit = {
  LabelCreated: createLabelRules,
  VoucherIssued: rulesOf('vouchers', [
    'VoucherIssued',
    'VoucherRedemptionBegun',
    'VoucherRedeemed',
  ]),
  RedemptionRecorded: rulesOf('redemption', ['RedemptionRecorded']),
};
