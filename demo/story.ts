import { card } from './story/card.ts';
import { hotel } from './story/hotel.ts';
import { mistake } from './story/mistake.ts';
import { month } from './story/month.ts';
import { overdraft } from './story/overdraft.ts';
import { rent } from './story/rent.ts';
import { salaries } from './story/salaries.ts';
import type { Step } from './story/step.ts';

/** The day, in its order. Each step leaves the balances it began with, or says in the next what changed. */
export const story: readonly Step[] = [salaries, rent, card, hotel, mistake, overdraft, month];
