import { TRANSACTION, type CompactOperation, type CompactMembers } from './compact-form.ts';
import { partId, type Uuid } from './ids.ts';
import { readPosting } from './scan-posting.ts';

/**
 * Returns the data of a TransactionPosted of schema version 1 from that of version 2: the whole record, its members in the
 * order in which it was decided. Errors: SyntaxError, Error for damaged data.
 */
export function wholePosting(data: string): Readonly<{ transaction: object }> {
  const { posted, postings, more } = readPosting(data);
  const [id, organizationId, ledgerId, createdAt, assetCode, amount] = posted;
  const source: string[] = [];
  const destination: string[] = [];
  const operations: object[] = [];
  for (const posting of postings) {
    (posting[0] === 'D' ? source : destination).push(posting[2]);
    operations.push(wholeOperation(id, operations.length + 1, posting));
  }
  const usual = {
    ...{ id, organizationId, ledgerId, status: 'APPROVED', amount, assetCode, source, destination },
    ...{ operations, createdAt, updatedAt: createdAt },
  };
  return { transaction: more === undefined ? usual : inOrder({ ...usual, ...more }) };
}

function wholeOperation(whole: Uuid, ordinal: number, posting: CompactOperation): object {
  const [side, accountId, accountAlias, amount, available, after, version, unusual = {}] = posting;
  const { balance: [nth, balanceKey] = FIRST, onHold = '0', ...more } = unusual;
  return {
    id: partId(whole, ordinal),
    type: side === 'D' ? 'DEBIT' : 'CREDIT',
    direction: side === 'D' ? 'debit' : 'credit',
    origin: 'request',
    amount,
    accountId,
    accountAlias,
    balanceId: partId(accountId, nth),
    balanceKey,
    balance: { available, onHold, version: version - 1, overdraftUsed: '0' },
    balanceAfter: { available: after, onHold, version, overdraftUsed: '0' },
    ...more, // An origin replaces the usual one where it stands.
  };
}

/** Only optional members are missing. */
function inOrder(members: CompactMembers): object {
  const ordered: Record<string, unknown> = {};
  for (const name of TRANSACTION.names) {
    if (members[name] !== undefined) ordered[name] = members[name];
  }
  return ordered;
}

const FIRST = [1, 'default'] as const;
