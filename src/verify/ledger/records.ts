import { differ } from '#src/verify/difference.ts';
import { LiveRecords } from '#src/verify/record.ts';
import type {
  AuditedAccount,
  AuditedAccountType,
  AuditedBalance,
  AuditedLedger,
  AuditedPortfolio,
  AuditedSegment,
} from './shapes.ts';

type Groups = Pick<AuditedAccount, 'portfolioId' | 'segmentId'>;

/** The declared records of a ledger, and how accounts refer to them (contract ledger §3.2 to §3.5). */
export class AuditedRecords {
  readonly segments = new LiveRecords<AuditedSegment>('Segment', 'name');
  readonly portfolios = new LiveRecords<AuditedPortfolio>('Portfolio');
  readonly types = new LiveRecords<AuditedAccountType>('AccountType', 'keyValue');
  /** By account id. */
  readonly #groups = new Map<string, Groups>();
  #registeredTypesOnly = false;

  /** The rules of all their events; `mine` checks that a record belongs to the ledger. */
  rules(mine: (record: AuditedSegment | AuditedPortfolio | AuditedAccountType) => void) {
    return {
      ...this.segments.rules(mine),
      ...this.portfolios.rules(mine),
      ...this.types.rules(mine),
    };
  }

  /** Applies the ledger's settings to accounts opened later; settings that were never set are absent. */
  ask({ settings }: AuditedLedger): void {
    this.#registeredTypesOnly = settings?.accounting.validateAccountType === true;
  }

  opened(account: AuditedAccount, { direction }: AuditedBalance): void {
    const { type } = account;
    const external = type === 'external';
    const known = this.types.having(type);
    if (this.#registeredTypesOnly && !external && known === undefined) {
      differ(`there is no account type ${type}`);
    }
    const due = external ? 'debit' : (known?.defaultDirection ?? 'credit');
    if (direction !== due) differ(`the balance of an account of type ${type} begins as ${due}`);
    this.changed(account);
  }

  /** A portfolio or segment may be deleted before its accounts are, so only a newly named one must exist. */
  changed({ id, portfolioId, segmentId }: AuditedAccount): void {
    const before = this.#groups.get(id);
    if (portfolioId && portfolioId !== before?.portfolioId && !this.portfolios.get(portfolioId)) {
      differ(`there is no portfolio ${portfolioId}`);
    }
    if (segmentId && segmentId !== before?.segmentId && !this.segments.get(segmentId)) {
      differ(`there is no segment ${segmentId}`);
    }
    if (portfolioId === undefined && segmentId === undefined) this.#groups.delete(id);
    else this.#groups.set(id, { portfolioId, segmentId });
  }

  dropped({ id }: AuditedAccount): void {
    this.#groups.delete(id);
  }
}
