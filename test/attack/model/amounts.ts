/** Amounts of the model: whole 10^-34 parts. */
export type Units = bigint;

const DIGITS = 34;

export function unitsOf(text: string): Units {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole) * 10n ** BigInt(DIGITS) + BigInt(fraction.padEnd(DIGITS, '0'));
  return text.startsWith('-') ? -value : value;
}

export function textOf(units: Units): string {
  const digits = String(units < 0n ? -units : units).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -DIGITS);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
