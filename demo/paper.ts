import { styleText } from 'node:util';
import type { QuipuProblem } from 'quipu/client';
import { nameOf } from './cast.ts';

/** Prints the story in 80 columns, in color on a terminal unless NO_COLOR is set. */
export interface Paper {
  title(text: string): void;
  heading(at: string, text: string): void;
  say(text: string): void;
  note(text: string): void;
  /** One line per operation: who, what was moved, what is there now. */
  booked(transaction: Readonly<{ operations: readonly BookedOperation[] }>): void;
  document(problem: QuipuProblem): void;
  link(what: string, url: string): void;
  progress(done: number, of: number): void;
  good(text: string): void;
  wrong(text: string): void;
}

export type BookedOperation = Readonly<{
  type: string;
  accountAlias: string;
  amount: Readonly<{ value: string }>;
  balanceAfter: Readonly<{ available: string; onHold: string }>;
}>;

export function paperOn(stream: NodeJS.WriteStream): Paper {
  const style = (format: Format, text: string): string => styleText(format, text, { stream });
  const line = (text = ''): void => void stream.write(`${text}\n`);
  const lines = (text: string, format?: Format): void => {
    for (const one of wrapped(text))
      line(MARGIN + (format === undefined ? one : style(format, one)));
  };

  return {
    title(text) {
      line(`\n${style('bold', text)}\n${style('bold', '═'.repeat(text.length))}`);
    },
    heading(at, text) {
      line(`\n${at && style('cyan', `${at}  `)}${style('bold', text)}`);
    },
    say: (text) => {
      lines(text);
    },
    note: (text) => {
      lines(text, 'dim');
    },
    booked({ operations }) {
      for (const operation of operations) line(row(operation, style).trimEnd());
    },
    document({ document }) {
      for (const member of ['status', 'code', 'title', 'detail'] as const) {
        line(
          `${MARGIN}${MARGIN}${style('dim', member.padEnd(8))}${style('yellow', String(document?.[member]))}`,
        );
      }
    },
    link(what, url) {
      lines(what);
      line(`${MARGIN}${style('underline', url)}`);
    },
    progress(done, of) {
      if (!stream.isTTY || (done % 50 !== 0 && done !== of)) return;
      const filled = Math.round((done / of) * BAR);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
      stream.write(done === of ? '\r\x1b[K' : `\r${MARGIN}${bar} ${grouped(String(done))}`);
    },
    good: (text) => {
      lines(`✓ ${text}`, 'green');
    },
    wrong: (text) => {
      line();
      lines(`✗ ${text.trim()}`, 'red');
    },
  };
}

type Format = 'bold' | 'dim' | 'cyan' | 'green' | 'red' | 'yellow' | 'underline';

const MARGIN = '  ';
const WIDTH = 78;
const BAR = 40;

function row(
  { type, accountAlias, amount, balanceAfter }: BookedOperation,
  style: (format: Format, text: string) => string,
): string {
  const who = nameOf(accountAlias).padEnd(22);
  const moved = `${type.padEnd(8)} ${inColumns(amount.value)}`;
  const held = balanceAfter.onHold === '0' ? '' : `  ${shownAmount(balanceAfter.onHold)} held`;
  const now = `has ${inColumns(balanceAfter.available)}${held}`;
  return `${MARGIN}${MARGIN}${who}${style(type === 'CREDIT' ? 'green' : 'yellow', moved)}   ${now}`;
}

/** `4200` → `4,200.00`; no digit is lost. */
export function shownAmount(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return `${grouped(whole)}.${fraction.padEnd(2, '0')}`;
}

/** Whole parts end and fractions begin at the same column, for up to 999,999 and four digits. */
function inColumns(text: string): string {
  const [whole = '', fraction = ''] = shownAmount(text).split('.');
  return `${whole.padStart(7)}.${fraction.padEnd(4)}`;
}

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH - MARGIN.length) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
