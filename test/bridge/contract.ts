/* Contract events §6, as it stands there: key, tail and payload of each event; `off` unless a policy turns it on. */

const EVENTS = `
organization.created ledger_organization.created P1
organization.updated ledger_organization.updated P2
organization.deleted ledger_organization.deleted P3
ledger.created ledger_ledger.created P4
ledger.updated ledger_ledger.updated P5
ledger.deleted ledger_ledger.deleted P6
asset.created ledger_asset.created P7
asset.updated ledger_asset.updated P8
asset.deleted ledger_asset.deleted P9
segment.created ledger_segment.created P10
segment.updated ledger_segment.updated P11
segment.deleted ledger_segment.deleted P9
portfolio.created ledger_portfolio.created P12
portfolio.updated ledger_portfolio.updated P13
portfolio.deleted ledger_portfolio.deleted P9
account.created ledger_account.created P14
account.updated ledger_account.updated P15
account.deleted ledger_account.deleted P16
operation-route.created ledger_operation_route.created P17
operation-route.updated ledger_operation_route.updated P18
operation-route.deleted ledger_operation_route.deleted P19
transaction-route.created ledger_transaction_route.created P20
transaction-route.updated ledger_transaction_route.updated P21
transaction-route.deleted ledger_transaction_route.deleted P19
balance.created ledger_balance.created P22
balance.changed ledger_balance.changed P23
balance.config-changed ledger_balance.config_changed P24
balance.deleted ledger_balance.deleted P25
balance.overdraft-drawn ledger_balance.overdraft_drawn P26
balance.overdraft-repaid ledger_balance.overdraft_repaid P26
balance.overdraft-cleared ledger_balance.overdraft_cleared P26
transaction.posted ledger_transaction.posted P27
transaction.committed ledger_transaction.committed P27
transaction.canceled ledger_transaction.canceled P27
transaction.reverted ledger_transaction.reverted P27
holder.created crm_holder.created P30
holder.updated crm_holder.updated P30
holder.deleted crm_holder.deleted P31
instrument.created crm_instrument.created P32
instrument.updated crm_instrument.updated P32
instrument.deleted crm_instrument.deleted P33
instrument.related-party-deleted crm_instrument.related_party_deleted P34
fee-packages.created fee_packages.created P40
fee-packages.updated fee_packages.updated P40
fee-packages.deleted fee_packages.deleted P9
fee-billing-packages.created fee_billing_packages.created P41
fee-billing-packages.updated fee_billing_packages.updated P41
fee-billing-packages.deleted fee_billing_packages.deleted P9
fee-charge.applied fee_charge.applied P42
rule.created companion_rule.created P50
rule.updated companion_rule.updated P50
rule.activated companion_rule.activated P51
rule.deactivated companion_rule.deactivated P52
rule.drafted companion_rule.drafted P53
rule.deleted companion_rule.deleted P54
limit.created companion_limit.created P55
limit.updated companion_limit.updated P55
limit.activated companion_limit.activated P53
limit.deactivated companion_limit.deactivated P53
limit.drafted companion_limit.drafted P53
limit.deleted companion_limit.deleted P54
account-type.created ledger_account_type.created S1 off
account-type.updated ledger_account_type.updated S2 off
account-type.deleted ledger_account_type.deleted P9 off
asset-rate.upserted ledger_asset_rate.upserted S3 off
ledger.settings-changed ledger_ledger.settings_changed S4 off
transaction.held ledger_transaction.held P27 off
transaction.noted ledger_transaction.noted P27 off
transaction.updated ledger_transaction.updated S5 off
fee-debts.opened fee_debts.opened S6 off
fee-debts.settled fee_debts.settled S6 off
fee-debts.canceled fee_debts.canceled S6 off
fee-debts.reopened fee_debts.reopened S6 off
fee-debts.refunded fee_debts.refunded S6 off
encryption.provisioned crm_encryption.provisioned S7 off`;

/* §6.5, and §7 as S1 to S7: `f?` is left out when it is empty, `f|null` is always there and may be null. */
const MEMBERS: Readonly<Record<string, string>> = {
  P1: 'id parentOrganizationId|null legalName doingBusinessAs|null legalDocument address status createdAt updatedAt',
  P2: 'id parentOrganizationId|null legalName doingBusinessAs|null address status updatedAt',
  P3: 'id deletedAt',
  P4: 'id organizationId name status createdAt updatedAt',
  P5: 'id organizationId name status updatedAt',
  P6: 'id organizationId deletedAt',
  P7: 'id organizationId ledgerId name type code status createdAt updatedAt',
  P8: 'id organizationId ledgerId name type code status updatedAt',
  P9: 'id organizationId ledgerId deletedAt',
  P10: 'id organizationId ledgerId name status createdAt updatedAt',
  P11: 'id organizationId ledgerId name status updatedAt',
  P12: 'id organizationId ledgerId name entityId? status createdAt updatedAt',
  P13: 'id organizationId ledgerId name entityId? status updatedAt',
  P14:
    'id organizationId ledgerId name assetCode type portfolioId|null segmentId|null parentAccountId|null ' +
    'entityId|null holderId|null alias|null status blocked|null holderCheckSkipped createdAt updatedAt',
  P15:
    'id organizationId ledgerId name portfolioId|null segmentId|null entityId|null status blocked|null closedAt? ' +
    'updatedAt',
  P16: 'id organizationId ledgerId portfolioId|null deletedAt',
  P17:
    'id organizationId ledgerId? title description? code? operationType account? accountingEntries? createdAt ' +
    'updatedAt',
  P18: 'id organizationId ledgerId? title description? code? operationType account? accountingEntries? updatedAt',
  P19: 'id organizationId ledgerId? deletedAt',
  P20: 'id organizationId ledgerId? title description? operationRouteIds? createdAt updatedAt',
  P21: 'id organizationId ledgerId? title description? operationRouteIds? updatedAt',
  P22:
    'id organizationId ledgerId accountId alias? key assetCode accountType? available onHold allowSending ' +
    'allowReceiving direction? settings? createdAt updatedAt',
  P23:
    'organizationId ledgerId accountId balanceId alias? assetCode balanceKey available onHold version reason ' +
    'operationType direction? amount transactionId operationId occurredAt',
  P24:
    'id organizationId ledgerId accountId alias? key allowSending allowReceiving direction? settings? changeType ' +
    'updatedAt',
  P25: 'id organizationId ledgerId accountId deletedAt',
  P26:
    'balanceId accountId organizationId ledgerId assetCode transactionId operationId action amount ' +
    'overdraftBalance overdraftLimit? occurredAt',
  P27:
    'id parentTransactionId? organizationId ledgerId status amount? assetCode chartOfAccountsGroupName? ' +
    'description? source? destination? route? routeId? operations operationsTruncated? metadata? feesSkipped ' +
    'tracerSkipped createdAt updatedAt',
  P30: 'id organizationId type externalId|null createdAt updatedAt',
  P31: 'id organizationId deletionType deletedAt',
  P32: 'id holderId organizationId ledgerId accountId type createdAt updatedAt relatedParties|null',
  P33: 'id holderId organizationId deletionType deletedAt',
  P34: 'instrumentId holderId organizationId relatedPartyId deletedAt',
  P40: 'id organizationId ledgerId segmentId|null transactionRoute|null enable createdAt updatedAt',
  P41: 'id organizationId ledgerId type pricingModel|null countMode|null enable createdAt updatedAt',
  P42: 'transactionId organizationId ledgerId feePackageId appliedAt',
  P50: 'id status action scopes createdAt updatedAt',
  P51: 'id status activatedAt|null updatedAt',
  P52: 'id status deactivatedAt|null updatedAt',
  P53: 'id status updatedAt',
  P54: 'id deletedAt',
  P55:
    'id status limitType currency scopes activeTimeStart|null activeTimeEnd|null customStartDate|null ' +
    'customEndDate|null resetAt|null createdAt updatedAt',
  S1: 'id organizationId ledgerId keyValue name createdAt updatedAt',
  S2: 'id organizationId ledgerId keyValue name updatedAt',
  S3: 'id organizationId ledgerId externalId from to rate scale ttl updatedAt',
  S4: 'id organizationId changed updatedAt',
  S5: 'id organizationId ledgerId updatedAt',
  S6:
    'id organizationId ledgerId debtorBalance creditBalance originTransactionId transactionId assetCode amount ' +
    'remaining occurredAt',
  S7: 'organizationId status occurredAt',
};

const rows = EVENTS.trim()
  .split('\n')
  .map((row) => row.split(' ') as [key: string, tail: string, payload: string, off?: string]);

export const catalogText = (): readonly string[] =>
  rows.map(([key, tail, , off]) => `${key} ${tail}${off === undefined ? '' : ' off'}`).sort();

export const membersText = (key: string): string | undefined =>
  MEMBERS[rows.find(([name]) => name === key)?.[2] ?? '']?.split(' ').sort().join(' ');
