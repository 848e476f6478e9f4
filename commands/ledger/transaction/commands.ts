import type { Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';
import type { Metadata } from '#src/events/shared.ts';

/** One side's line of a request, before shares and remainders are worked out. Decimals are texts. */
export type RequestedLeg = Readonly<{
  accountAlias: string;
  balanceKey?: string | undefined;
  amount?: Readonly<{ asset: string; value: string }> | undefined;
  share?: Readonly<{ percentage: number; percentageOfPercentage?: number | undefined }> | undefined;
  remaining?: string | undefined;
  rate?: Readonly<Record<string, unknown>> | undefined;
  description?: string | undefined;
  chartOfAccounts?: string | undefined;
  metadata?: Metadata | undefined;
  route?: string | undefined;
  routeId?: Uuid | undefined;
}>;

/** A transaction as a client asks for it (contract ledger §5.3). */
export type TransactionRequest = Readonly<{
  chartOfAccountsGroupName?: string | undefined;
  description?: string | undefined;
  code?: string | undefined;
  metadata?: Metadata | undefined;
  route?: string | undefined;
  routeId?: Uuid | undefined;
  transactionDate?: Instant | undefined;
  skip?: Readonly<{ fees?: boolean | undefined; tracer?: boolean | undefined }> | undefined;
  send: Readonly<{
    asset: string;
    /** Absent counts as 0. */
    value?: string | undefined;
    source: Readonly<{ from: readonly RequestedLeg[] }>;
    distribute: Readonly<{ to: readonly RequestedLeg[] }>;
  }>;
}>;

export type PostTransaction = Readonly<{
  type: 'PostTransaction';
  organizationId: Uuid;
  request: TransactionRequest;
}>;
