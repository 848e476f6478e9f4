/** A fraction of whole numbers, the lower above zero: arithmetic for tests, slow and exact, unlike the product's. */
export class Rational {
  readonly over: bigint;
  readonly under: bigint;

  constructor(over: bigint, under = 1n) {
    const common = under < LONG ? 1n : divisor(over < 0n ? -over : over, under);
    this.over = over / common;
    this.under = under / common;
  }

  static of(text: string): Rational {
    const [whole = '0', fraction = ''] = text.split('.');
    return new Rational(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
  }

  plus(other: Rational): Rational {
    return new Rational(
      this.over * other.under + other.over * this.under,
      this.under * other.under,
    );
  }
  minus(other: Rational): Rational {
    return this.plus(new Rational(-other.over, other.under));
  }
  times(other: Rational): Rational {
    return new Rational(this.over * other.over, this.under * other.under);
  }
  by(other: Rational): Rational {
    return new Rational(this.over * other.under, this.under * other.over);
  }
  isAbove(other: Rational): boolean {
    return this.minus(other).over > 0n;
  }
  get isZero(): boolean {
    return this.over === 0n;
  }

  /** Cuts what follows so many digits behind the point; for numbers from zero. */
  cut(digits: number): Rational {
    const power = 10n ** BigInt(digits);
    return new Rational((this.over * power) / this.under, power);
  }
  /** Rounds to so many digits, half away from zero; for numbers from zero. */
  rounded(digits: number): Rational {
    const half = new Rational(5n, 10n ** BigInt(digits + 1));
    return this.plus(half).cut(digits);
  }

  /** In plain notation; undefined if it has more digits behind the point than that. */
  text(digitsMax: number): string | undefined {
    const power = 10n ** BigInt(digitsMax);
    if ((this.over * power) % this.under !== 0n) return undefined;
    const digits = ((this.over * power) / this.under).toString().padStart(digitsMax + 1, '0');
    const whole = digits.slice(0, digits.length - digitsMax);
    const fraction = digits.slice(digits.length - digitsMax).replace(/0+$/, '');
    return fraction === '' ? whole : `${whole}.${fraction}`;
  }
}

/** Fractions are reduced only when they get long, which takes most of the time. */
const LONG = 10n ** 60n;

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
