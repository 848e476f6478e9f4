/* Requests of version 2, in which every leg says where it is. */

export type Scope = Readonly<{ organizationId: string; ledgerId: string }>;

export type SentLeg = Scope &
  Readonly<{
    alias: string;
    amount?: string | number;
    share?: Readonly<{ percentage: number; percentageOfPercentage?: number }>;
  }> &
  Readonly<Record<string, unknown>>;

/** What legs and requests of one ledger look like. */
export const inScope = ({ organizationId, ledgerId }: Scope) => {
  const leg = (alias: string, amount?: string, more: object = {}): SentLeg => ({
    alias,
    organizationId,
    ledgerId,
    ...(amount !== undefined && { amount }),
    ...more,
  });
  const part = (alias: string, percentage: number, of?: number): SentLeg => ({
    ...leg(alias),
    share: { percentage, ...(of !== undefined && { percentageOfPercentage: of }) },
  });
  /** From one account to another. */
  const direct = (from: string, to: string, amount: string, more: object = {}) => ({
    asset: 'BRL',
    amount,
    debits: [leg(from, amount)],
    credits: [leg(to, amount)],
    ...more,
  });
  return { leg, part, direct };
};
