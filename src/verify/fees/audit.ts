import { differ } from '#src/verify/difference.ts';
import { LiveRecords } from '#src/verify/record.ts';
import { createAuditRules } from '#src/verify/rules.ts';

type OwnedRecord = Readonly<{ id: string; organizationId: string }>;
type BillingRecord = OwnedRecord &
  Readonly<{
    ledgerId: string;
    enable: boolean;
    eventFilter?: Readonly<{ transactionRoute: string }>;
    deletedAt: string | null;
  }>;
type Data = Readonly<{ feePackage: OwnedRecord; billingPackage: BillingRecord }>;

/**
 * The rules of an organization's fees journal, which moves no money: each package is created and deleted once, and no
 * route of a ledger is billed by two enabled packages.
 */
function createFeesRules() {
  let organizationId: string | undefined;
  const own = (record: OwnedRecord): void => {
    if (record.organizationId !== organizationId) differ('it belongs to another organization');
  };
  const billed = new Map<string, string>();
  const bills = (one: BillingRecord): void => {
    own(one);
    const { id, ledgerId, enable, eventFilter, deletedAt } = one;
    if (eventFilter === undefined) return;
    const route = `${ledgerId} ${eventFilter.transactionRoute}`;
    if (billed.get(route) === id) billed.delete(route);
    if (!enable || deletedAt !== null) return;
    if (billed.has(route)) differ(`package ${billed.get(route)} bills the same route`);
    billed.set(route, id);
  };
  return createAuditRules<Data>(
    'fees',
    (data) => {
      organizationId = Object.values(data as Readonly<Record<string, OwnedRecord>>).find(
        (member) => typeof member === 'object' && 'organizationId' in member,
      )?.organizationId;
      return organizationId ?? differ('it names no organization');
    },
    {
      ...new LiveRecords<OwnedRecord>('FeePackage').rules(own),
      ...new LiveRecords<BillingRecord>('BillingPackage').rules(bills),
    },
  );
}

export const audit = { FeePackageCreated: createFeesRules, BillingPackageCreated: createFeesRules };
