import type { Bank } from './bank.ts';
import type { Paper } from './paper.ts';
import { card } from './story/card.ts';
import { hotel } from './story/hotel.ts';
import { mistake } from './story/mistake.ts';
import { month } from './story/month.ts';
import { overdraft } from './story/overdraft.ts';
import { rent } from './story/rent.ts';
import { salaries } from './story/salaries.ts';

/** One thing that happens. Balances it leaves are written out in it, and read back. */
export type Step = Readonly<{
  at: string;
  title: string;
  /** Left out by a server without this operation, such as `POST /transactions/{transaction_id}/commit`. */
  needs?: string;
  play: (bank: Bank, paper: Paper) => Promise<void>;
}>;

/** The day, in its order. Each step leaves the balances it began with, or says in the next what changed. */
export const story: readonly Step[] = [salaries, rent, card, hotel, mistake, overdraft, month];
