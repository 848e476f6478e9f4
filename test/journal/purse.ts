import type { Decider } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';

/** The smallest journal there is, for stories about the writer: a purse that takes and gives coins. */
export type PurseCommand =
  | Readonly<{ type: 'Put'; coins: number; times?: number; note?: string; after?: JournalName }>
  | Readonly<{ type: 'Take'; coins: number }>
  | Readonly<{ type: 'Look' }>
  | Readonly<{ type: 'Break'; when: 'deciding' | 'folding' }>;

export type PurseEvent =
  | Readonly<{ type: 'CoinsPut'; data: Readonly<{ coins: number; note?: string }> }>
  | Readonly<{ type: 'CoinsTaken'; data: Readonly<{ coins: number }> }>
  | Readonly<{ type: 'Broken'; data: object }>;

type Purse = { coins: number; used: boolean };

export const purseDecider: Decider<Purse, PurseCommand, PurseEvent> = {
  category: 'purse',
  snapshotVersion: 1,
  initialState: () => ({ coins: 0, used: false }),
  needs: (_, command, facts) =>
    command.type === 'Put' &&
    command.after !== undefined &&
    facts.journal(command.after) === undefined
      ? { journals: [command.after] }
      : undefined,

  decide(purse, command, facts) {
    switch (command.type) {
      case 'Put': {
        const { coins, note, times = 1, after } = command;
        if (after !== undefined && facts.journal(after) === null) throw refuse('NOT_FOUND', after);
        const data = note === undefined ? { coins } : { coins, note };
        return Array.from({ length: times }, () => ({ type: 'CoinsPut', data }));
      }
      case 'Take':
        if (purse.coins < command.coins) throw refuse('INSUFFICIENT_FUNDS', 'insufficient funds');
        return [{ type: 'CoinsTaken', data: { coins: command.coins } }];
      case 'Look':
        return [];
      case 'Break':
        if (command.when === 'deciding') throw new Error('A defect');
        return [{ type: 'Broken', data: {} }];
    }
  },

  evolve(purse, event) {
    if (event.type === 'Broken') throw new Error('A defect');
    purse.used = true;
    purse.coins += event.type === 'CoinsPut' ? event.data.coins : -event.data.coins;
  },

  undoing(purse, event) {
    if (event.type === 'Broken') return undefined;
    const before = { ...purse };
    return () => Object.assign(purse, before);
  },

  fact: ({ used }) => (used ? { live: true } : undefined),
  toSnapshot: (purse) => [JSON.stringify(purse)],
  fromSnapshot: (chunks) => JSON.parse([...chunks].join('')) as Purse,
};
