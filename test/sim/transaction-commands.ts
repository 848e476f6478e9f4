import { sendBodyLocations as locations } from '#commands/ledger/api/locations.ts';
import type {
  DescriptiveChanges,
  RequestedLeg,
  TransactionRequest,
} from '#commands/ledger/transaction/commands.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import {
  imageOf,
  standingOf,
  units,
  type BookedAccount,
  type BookedLedger,
  type BookedTransaction,
} from './booked.ts';
import { ALIASES, ASSETS, inLedger, KEY, orgOf, VALUES } from './fixtures.ts';
import type { Random } from './random.ts';
import { along } from './route-commands.ts';
import { someException, type Passing } from './exception-commands.ts';
import type { CommandWish } from './request.ts';

export type TransactionCommands = Readonly<{
  any: (of: BookedLedger) => CommandWish;
  throng: (of: BookedLedger) => readonly CommandWish[];
}>;

/** What is wanted of transactions: new ones, alone or all or none, and whatever may befall old ones. */
export function createTransactionCommands(
  random: Random,
  unheardOf: () => Uuid,
): TransactionCommands {
  const any = (of: BookedLedger): CommandWish => {
    if (of.transactions.size === 0 && !random.oneIn(20)) return transaction(of);
    const what = random.weighted({ transaction: 12, batch: 3, settle: 6, revert: 3, update: 3 });
    if (what === 'transaction') return transaction(of);
    return what === 'batch' ? batch(of) : about(of, what, someId(of));
  };

  const throng = (of: BookedLedger): readonly CommandWish[] => {
    if (of.transactions.size === 0) return [transaction(of)];
    const id = someId(of);
    const mostly = random.pick(['settle', 'settle', 'revert'] as const);
    return Array.from({ length: 2 + random.below(4) }, () =>
      about(of, random.oneIn(2) ? mostly : random.pick(['settle', 'revert', 'update']), id),
    );
  };

  const transaction = (of: BookedLedger): CommandWish => {
    const plain = random.oneIn(3) ? plainly(of) : undefined;
    const request = plain ?? asked(of);
    const as =
      plain === undefined
        ? random.weighted({ usual: 12, annotation: 1, block: 1, unblock: 1 })
        : 'usual';
    const command = {
      type: 'PostTransaction',
      organizationId: orgOf(of),
      request,
      locations,
    } as const;
    if (as !== 'usual') return inLedger('transaction', of, { ...command, as });
    const charged = plain === undefined || random.oneIn(3);
    return inLedger('transaction', of, { ...command, ...(charged && feeRules()) });
  };

  const batch = (of: BookedLedger): CommandWish => {
    const requests = Array.from(
      { length: 2 + random.below(4) },
      () => (random.oneIn(2) ? plainly(of) : undefined) ?? asked(of),
    );
    return inLedger('batch', of, {
      type: 'PostTransactions',
      organizationId: orgOf(of),
      requests,
      items: { list: 'transactions' },
      locations,
      ...feeRules(),
    });
  };

  /** Version 1 charges no fees unless it is set to. */
  const feeRules = () => (random.oneIn(8) ? {} : { fees: random.pick([1, 2] as const) });

  const about = (of: BookedLedger, what: 'settle' | 'revert' | 'update', id: Uuid): CommandWish => {
    const common = { organizationId: orgOf(of), transactionId: id };
    const exception = random.oneIn(4) ? someException(random, of) : undefined;
    const by = exception && { accountBlockExceptionId: exception.id };
    if (what === 'revert') {
      return inLedger('reversal', of, { type: 'RevertTransaction', ...common, ...by });
    }
    if (what === 'settle') {
      if (random.oneIn(3))
        return inLedger('settlement', of, { type: 'CancelTransaction', ...common });
      return inLedger('settlement', of, { type: 'CommitTransaction', ...common, ...by });
    }
    const changes = changed();
    const operations = of.transactions.get(id)?.images.at(-1)?.record.operations ?? [];
    if (operations.length === 0 || random.oneIn(2)) {
      return inLedger('update', of, { type: 'UpdateTransaction', ...common, changes });
    }
    const operationId = random.oneIn(10) ? unheardOf() : random.pick(operations).id;
    return inLedger('update', of, { type: 'UpdateOperation', ...common, operationId, changes });
  };

  /** A new one, a pending one, any one; seldom one that nobody knows. */
  const someId = (of: BookedLedger): Uuid => {
    const all = [...of.transactions.values()];
    if (all.length === 0 || random.oneIn(30)) return unheardOf();
    const pending = all.filter((one) => imageOf(one).record.status === 'PENDING');
    const from = random.weighted({ new: 4, pending: 4, any: 3 });
    const pick = (some: readonly BookedTransaction[]): Uuid => random.pick(some).id as Uuid;
    if (from === 'new') return pick(all.slice(-3));
    return pick(from === 'pending' && pending.length > 0 ? pending : all);
  };

  /** In from outside, out, across, or from two to two; often to somebody who is not there, or of too much. */
  const asked = (of: BookedLedger): TransactionRequest => {
    const exception = random.oneIn(6) ? someException(random, of) : undefined;
    const lent = random.oneIn(4) ? lending(of) : [];
    const request =
      exception !== undefined
        ? byException(of, exception)
        : lent.length > 0
          ? repayment(random.pick(lent))
          : usual(of);
    return of.routed && !random.oneIn(15) ? along(random, of, request) : request;
  };

  /** Moves an amount from an account that has it to another, seldom to several, as most transactions do. */
  const plainly = (of: BookedLedger): TransactionRequest | undefined => {
    const payers = [...of.accounts.values()].filter(canPay);
    if (payers.length === 0) return undefined;
    const { alias: accountAlias, asset } = random.pick(payers);
    const others = [...of.accounts.values()].filter(
      (one) => one.asset === asset && isPlain(one) && one.alias !== accountAlias,
    );
    const to = random.oneIn(4) ? others.slice(0, 3) : others.slice(-1);
    if (to.length === 0) return undefined;
    const part = { asset, value: '0.25' };
    const total = { asset, value: ['0.25', '0.5', '0.75'][to.length - 1]! };
    return {
      ...(random.oneIn(2) && { description: random.pick(['rent', 'salt']) }),
      send: {
        ...total,
        source: { from: [{ accountAlias, amount: total }] },
        distribute: { to: to.map(({ alias }) => ({ accountAlias: alias, amount: part })) },
      },
    };
  };

  /** A debit of just what an exception lets pass; seldom of something else. */
  const byException = (of: BookedLedger, { id, alias, value }: Passing): TransactionRequest => {
    const asset = of.accounts.get(alias)?.asset ?? '';
    const amount = { asset, value: random.oneIn(8) ? '7.5' : value };
    return {
      accountBlockExceptionId: id,
      send: {
        ...amount,
        source: { from: [{ accountAlias: alias, amount }] },
        distribute: { to: [{ accountAlias: `@external/${asset}`, amount }] },
      },
    };
  };

  /** All that a debit balance has, or all that it has not on hold. */
  const repayment = ({ alias, asset, standings }: BookedAccount): TransactionRequest => {
    const { available, onHold } = standings.at(-1)!;
    const most = random.oneIn(2) ? available : available - onHold;
    const value = String(most < units('1') ? 1n : most / units('1'));
    const amount = { asset, value };
    return {
      send: {
        ...amount,
        source: { from: [{ accountAlias: `@external/${asset}`, amount }] },
        distribute: { to: [{ accountAlias: alias, amount }] },
      },
    };
  };

  const usual = (of: BookedLedger): TransactionRequest => {
    const asset = of.assets.size > 0 ? random.pick([...of.assets]) : random.pick(ASSETS);
    const near = [...of.accounts.values()].filter((one) => !one.external && one.asset === asset);
    const somebody = (): string =>
      near.length < 2 || random.oneIn(40) ? random.pick(ALIASES) : random.pick(near).alias;
    const way = random.weighted({ in: 4, out: 1, across: 6, split: 2 });
    const value = `${1 + random.below(way === 'in' ? 100 : 60)}${random.oneIn(3) ? '.25' : ''}`;
    const amount = { asset, value };
    const [from, second, to, last] = [somebody(), somebody(), somebody(), somebody()];
    const saying = () => (random.oneIn(4) ? { metadata: { [KEY]: random.pick(VALUES) } } : {});
    const outside: RequestedLeg = { accountAlias: `@external/${asset}`, amount };
    const whole = (accountAlias: string): RequestedLeg => ({ accountAlias, amount, ...saying() });
    const split = way === 'split' && new Set([from, second, to, last]).size === 4;
    const sides = split
      ? halves(asset, from, second, to, last)
      : {
          source: { from: [way === 'in' ? outside : whole(from)] },
          distribute: { to: [way === 'out' ? outside : whole(to === from ? second : to)] },
        };
    const words = random.oneIn(3) ? changed() : {};
    const pending = random.oneIn(way === 'in' ? 20 : 2);
    return {
      ...(words.description !== undefined && { description: words.description }),
      ...(pending && { pending }),
      ...saying(),
      ...(random.oneIn(12) && { skip: { fees: true } }),
      ...(random.oneIn(40) && { metadata: { packageAppliedID: 'calculated' } }),
      send: { asset, value, ...sides },
    };
  };

  /** Few words, so that some change nothing. */
  const changed = (): DescriptiveChanges => ({
    ...(random.oneIn(2) && { description: random.pick(['rent', 'salt', 'gold']) }),
    ...(random.oneIn(2) && {
      metadata: { [random.pick(['a', 'b'])]: random.pick(['1', '2', null]) },
    }),
    ...(random.oneIn(3) && { metadata: { [KEY]: random.pick([...VALUES, null]) } }),
  });

  return { any, throng };
}

const isPlain = (account: BookedAccount): boolean => {
  const { live, direction, owed } = standingOf(account);
  const { blocked = false, closed = false } = account.stops.at(-1) ?? {};
  const isOpen = live && !blocked && !closed && !account.external;
  return isOpen && direction === 'credit' && owed === 0n;
};

const canPay = (account: BookedAccount): boolean =>
  isPlain(account) && standingOf(account).available >= units('1');

/** Accounts whose debit balance has something on hold. */
const lending = ({ accounts }: BookedLedger): readonly BookedAccount[] =>
  [...accounts.values()].filter((account) => {
    const { live, direction, onHold } = standingOf(account);
    return live && direction === 'debit' && onHold > 0n && !account.external;
  });

const halves = (asset: string, from: string, second: string, to: string, last: string) => ({
  source: {
    from: [
      { accountAlias: from, amount: { asset, value: '0.5' } },
      { accountAlias: second, remaining: 'remaining' },
    ],
  },
  distribute: {
    to: [
      { accountAlias: to, share: { percentage: 25 } },
      { accountAlias: last, remaining: 'remaining' },
    ],
  },
});
