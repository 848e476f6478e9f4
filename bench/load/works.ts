import type { Job, Work } from './job.ts';
import { batchWork } from './batches.ts';
import { aliasOf, nameOf } from './names.ts';
import { pageWork } from './pages.ts';
import { get, missing, post, requestId } from './text.ts';
import { chargedTransferWork, referenceWork, fundWork, transferWork } from './transfers.ts';
import { isKept, type Workload } from './workload.ts';

export function workloadOf({ run, work }: Job): Workload {
  switch (work.kind) {
    case 'transfer':
      return transferWork(run, work);
    case 'charged-transfer':
      return chargedTransferWork(run, work);
    case 'reference':
      return referenceWork(run, work);
    case 'batch':
      return batchWork(run, work);
    case 'fund':
      return fundWork(run, work);
    case 'open-accounts':
      return openAccountsWork(run, work);
    case 'create-holders':
      return createHoldersWork(run, work);
    case 'balance':
      return balanceWork(run, work);
    case 'page':
      return pageWork(run, work);
  }
}

function openAccountsWork(run: number, work: Work & { kind: 'open-accounts' }): Workload {
  return {
    status: 201,
    keep: isKept,
    text: (seq) =>
      post(
        `${work.ledgerPath}/accounts`,
        requestId(run, seq),
        `{"assetCode":"BRL","type":"deposit","name":"Bench","alias":"${aliasOf(seq)}"}`,
      ),
    check: (seq, { head, body }) =>
      missing(head, `req-${nameOf(run, seq)}`) ?? missing(body, `"alias":"${aliasOf(seq)}"`),
  };
}

/** The document of each holder is its own, so that every one claims a name. */
function createHoldersWork(run: number, work: Work & { kind: 'create-holders' }): Workload {
  return {
    status: 201,
    keep: isKept,
    text: (seq) =>
      post(
        `${work.organizationPath}/holders`,
        requestId(run, seq),
        `{"type":"NATURAL_PERSON","name":"Bench","document":"${nameOf(run, seq)}"}`,
      ),
    check: (seq, { head, body }) =>
      missing(head, `req-${nameOf(run, seq)}`) ?? missing(body, `"document":"${nameOf(run, seq)}"`),
  };
}

function balanceWork(run: number, work: Work & { kind: 'balance' }): Workload {
  const account = (seq: number): number => (seq * STRIDE) % work.accounts;
  return {
    status: 200,
    keep: isKept,
    text: (seq) =>
      get(`${work.ledgerPath}/accounts/alias/${aliasOf(account(seq))}/balances`, run, seq),
    check: (seq, { head, body }) =>
      missing(head, `req-${nameOf(run, seq)}`) ??
      missing(body, `"alias":"${aliasOf(account(seq))}"`) ??
      missing(body, '"available":"'),
  };
}

/** A prime: the walk visits every account, in an order that helps no cache. */
const STRIDE = 7919;
