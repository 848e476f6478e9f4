import type { Bank } from '../bank.ts';
import type { Paper } from '../paper.ts';

/** One thing that happens. Balances it leaves are written out in it, and read back. */
export type Step = Readonly<{
  at: string;
  title: string;
  play: (bank: Bank, paper: Paper) => Promise<void>;
}>;
