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
 * A component that is not the platform's: vouchers of an organization, each with a unique name, and their redemption, which is
 * recorded in a second journal. Its routes are in routes.ts.
 */

export type Voucher = Readonly<{
  id: Uuid;
  organizationId: Uuid;
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
  | { type: 'IssueVoucher'; organizationId: Uuid; name: string; vouchersMax: number }
  | { type: 'BeginRedemption'; id: Uuid }
  | { type: 'SettleRedemption'; id: Uuid }
>;
export type RedemptionEvent = Readonly<{ type: 'RedemptionRecorded'; data: Changed }>;
export type RedemptionCommand = Readonly<{ type: 'RecordRedemption'; voucher: Voucher }>;

export const vouchersJournal = (organizationId: Uuid) => ({
  name: `vouchers-${organizationId}` as JournalName,
  takes: undefined as unknown as (command: VoucherCommand) => VoucherEvent,
});
const redemptionJournal = (id: Uuid) => ({
  name: `redemption-${id}` as JournalName,
  takes: undefined as unknown as (command: RedemptionCommand) => RedemptionEvent,
});

// Refusals

const facts = {
  VOUCHER_NAME_TAKEN: { code: 'TOY-0001', kind: 'clash', title: 'Voucher name taken' },
  VOUCHERS_EXHAUSTED: { code: 'TOY-0002', kind: 'rule', title: 'Vouchers exhausted' },
  VOUCHERS_OF_NOBODY: { code: 'TOY-0018', kind: 'validation', title: 'Header missing' },
  VOUCHERS_OF_NO_ORGANIZATION: { code: 'TOY-0022', kind: 'validation', title: 'Header invalid' },
} as const satisfies Record<string, RefusalFacts>;

export const refusals = explained(facts, {
  VOUCHER_NAME_TAKEN: {
    means: 'Another voucher of the organization has this name. Choose another one.',
    detail: 'The name "gift" is taken.',
  },
  VOUCHERS_EXHAUSTED: {
    means: 'The organization has issued as many vouchers as the deployment allows.',
    detail: 'At most 1000 vouchers can be issued.',
  },
  VOUCHERS_OF_NOBODY: {
    means: 'The request does not name an organization in the header X-Organization-Id.',
    detail: 'X-Organization-Id is required.',
  },
  VOUCHERS_OF_NO_ORGANIZATION: {
    means: 'The header X-Organization-Id is not a UUID.',
    detail: 'X-Organization-Id must be a UUID.',
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
      const { organizationId, name, vouchersMax } = command;
      if (vouchers.size >= vouchersMax) {
        throw refuse('VOUCHERS_EXHAUSTED', `At most ${vouchersMax} vouchers can be issued.`);
      }
      if ([...vouchers.values()].some((voucher) => voucher.name === name)) {
        throw refuse('VOUCHER_NAME_TAKEN', `The name "${name}" is taken.`);
      }
      const id = ids.next();
      const voucher = { id, organizationId, name, status: 'ISSUED', createdAt: instant } as const;
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
  abandonedAfterMs: 15_000,
  async resume({ submit }, { event: { data } }) {
    const { voucher } = data;
    await submit(redemptionJournal(voucher.id), { type: 'RecordRedemption', voucher });
    const settle = { type: 'SettleRedemption', id: voucher.id } as const;
    await submit(vouchersJournal(voucher.organizationId), settle);
  },
};

export const processes = [redemptionProcess];

// Read side

const whole = ({ data: { voucher }, tenantId, revision }: Recorded<Changed>) =>
  put({
    id: voucher.id,
    born: bornAt(revision),
    keys: { tenantId, organizationId: voucher.organizationId, createdAt: voucher.createdAt },
    body: JSON.stringify(voucher),
  });

export const voucherProjection = projection<VoucherEvent>(
  {
    name: 'voucher',
    version: 1,
    keys: { tenantId: 'text', organizationId: 'text', createdAt: 'text' },
    indexes: [['tenantId', 'organizationId']],
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
