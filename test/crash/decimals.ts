/** Exact decimals on whole numbers of 10^-34, written anew here so that the product does not check itself. */
export function unitsOf(text: string): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d{1,34}))?$/.exec(text);
  if (parts === null) throw new Error(`Not a decimal in plain notation: ${text}`);
  const [, sign, whole = '', fraction = ''] = parts;
  const size = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return sign === '-' ? -size : size;
}

export function textOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  const whole = digits.slice(0, -SCALE);
  return (units < 0n ? '-' : '') + whole + (fraction === '' ? '' : `.${fraction}`);
}

const SCALE = 34;
