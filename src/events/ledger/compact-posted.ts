import type { CompactOperation, CompactPosting } from '#src/kernel/compact-form.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { endsAsUsual, readPosting } from '#src/kernel/scan-posting.ts';
import type { Left, Move, Posted } from './posted-parts.ts';
import { scannedPosted } from './scanned-posted.ts';
import type { TransactionRecord } from './transaction.ts';

/** Reads the parts of a transaction that read models use from data of schema version 2. */
export const compactPosted = (data: string): Posted =>
  scannedPosted(data) ?? parsedCompactPosted(data);

/** Reads the same from any form. Errors: those of readPosting. */
export function parsedCompactPosted(data: string): Posted {
  const { posted, postings, more } = readPosting(data);
  const [id, , ledgerId, createdAt, assetCode, amount] = posted;
  const { parentTransactionId, route, routeId, source, updatedAt }: UnusualMembers =
    more ?? NO_MEMBERS;
  return {
    id,
    ledgerId,
    parentTransactionId,
    amount,
    assetCode,
    route,
    routeId,
    routedFrom: route === undefined && routeId === undefined ? [] : (source ?? sourcesOf(postings)),
    groupId: undefined,
    createdAt,
    updatedAt: updatedAt ?? createdAt,
    moves: postings.map(moveOf),
    feeDebts: undefined,
  };
}

/** Returns the balances that a transaction changed, from data of schema version 2; the usual form is scanned for them. */
export const compactLeft = (data: string): readonly Left[] =>
  scannedLeft(data) ?? readPosting(data).postings.map(leftBy);

function scannedLeft(data: string): readonly Left[] | undefined {
  HEAD.lastIndex = 0;
  if (!HEAD.test(data)) return undefined;
  const left: Left[] = [];
  OPERATION.lastIndex = HEAD.lastIndex;
  for (;;) {
    const at = OPERATION.exec(data);
    if (at === null) return undefined;
    left.push({
      accountId: at[1] as Uuid,
      ordinal: 1,
      balanceAfter: {
        available: at[2]!,
        onHold: '0',
        version: Number(at[3]),
        overdraftUsed: '0',
      },
    });
    if (at[4] !== ',') return endsAsUsual(data, OPERATION.lastIndex) ? left : undefined;
  }
}

const TEXT = '"[^"\\\\]*"';
const HEAD = new RegExp(`\\{"posted":\\[(?:${TEXT},){5}${TEXT}\\],"postings":\\[`, 'y');
const OPERATION = new RegExp(
  `\\["[CD]","([0-9a-f-]{36})",${TEXT},${TEXT},${TEXT},"([^"\\\\]*)",(\\d{1,15})\\]([,\\]])`,
  'y',
);

type UnusualMembers = Partial<TransactionRecord>;
const NO_MEMBERS: UnusualMembers = {};

const sourcesOf = (postings: CompactPosting['postings']): readonly string[] =>
  postings.flatMap(([side, , alias]) => (side === 'D' ? [alias] : []));

function moveOf(posting: CompactOperation): Move {
  const [side, accountId, accountAlias, , before, , , more] = posting;
  return {
    type: side === 'D' ? 'DEBIT' : 'CREDIT',
    direction: side === 'D' ? 'debit' : 'credit',
    accountId,
    accountAlias,
    balanceId: partId(accountId, ordinalIn(posting)),
    balanceKey: more?.balance?.[1] ?? 'default',
    before: { available: before, onHold: more?.onHold ?? '0' },
    balanceAfter: stateAfter(posting),
  };
}

const leftBy = (posting: CompactOperation): Left => ({
  accountId: posting[1],
  ordinal: ordinalIn(posting),
  balanceAfter: stateAfter(posting),
});

const ordinalIn = ({ 7: more }: CompactOperation): number => more?.balance?.[0] ?? 1;

const stateAfter = ([, , , , , available, version, more]: CompactOperation) => ({
  available,
  onHold: more?.onHold ?? '0',
  version,
  overdraftUsed: '0',
});
