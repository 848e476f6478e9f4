import { keyHash } from './key-hash.ts';

/**
 * A Bloom filter over a journal's idempotency keys. "No" is certain and saves a look-up in the index;
 * "perhaps" is wrong for one key in a hundred at most, up to ten million keys. It grows by layers, so that small
 * journals cost little: 16 KiB first, then four times as much up to 4 MiB each; 14 bits a key. The errors of all
 * layers add up, hence more than the 10 bits that one layer would need.
 */
export class KeyFilter {
  readonly #layers: Layer[];

  constructor(layers: Layer[] = [emptyLayer(FIRST_BYTES)]) {
    this.#layers = layers;
  }

  add(key: string): void {
    let layer = this.#layers.at(-1)!;
    if (layer.count >= (layer.bits.length * 8) / BITS_PER_KEY) {
      layer = emptyLayer(Math.min(layer.bits.length * 4, LAYER_BYTES_MAX));
      this.#layers.push(layer);
    }
    const { a, b } = keyHash(key);
    const mask = layer.bits.length * 8 - 1;
    for (let probe = 0, at = a; probe < PROBES; probe += 1, at = (at + b) | 0) {
      const bit = at & mask;
      layer.bits[bit >>> 3] = (layer.bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
    layer.count += 1;
  }

  mayHave(key: string): boolean {
    const { a, b } = keyHash(key);
    return this.#layers.some((layer) => holds(layer, a, b));
  }

  /**
   * Returns the fraction of keys never added for which it says "perhaps": the chance that all probes of a layer hit.
   */
  get errorRate(): number {
    const rateOf = ({ count, bits }: Layer): number =>
      (1 - Math.exp((-PROBES * count) / (bits.length * 8))) ** PROBES;
    return Math.min(
      1,
      this.#layers.reduce((sum, layer) => sum + rateOf(layer), 0),
    );
  }

  /** Returns one text per layer. */
  toSnapshot(): string[] {
    return this.#layers.map(
      ({ count, bits }) => `${String(count)}:${Buffer.from(bits).toString('base64')}`,
    );
  }

  static fromSnapshot(texts: readonly string[]): KeyFilter {
    return new KeyFilter(
      texts.map((text) => {
        const colon = text.indexOf(':');
        const bits = new Uint8Array(Buffer.from(text.slice(colon + 1), 'base64'));
        return { count: Number(text.slice(0, colon)), bits };
      }),
    );
  }
}

type Layer = { count: number; bits: Uint8Array };

const FIRST_BYTES = 16 * 1024;
const LAYER_BYTES_MAX = 4 * 1024 * 1024;
const BITS_PER_KEY = 14;
const PROBES = 10;

const emptyLayer = (bytes: number): Layer => ({ count: 0, bits: new Uint8Array(bytes) });

function holds({ bits }: Layer, a: number, b: number): boolean {
  const mask = bits.length * 8 - 1;
  for (let probe = 0, at = a; probe < PROBES; probe += 1, at = (at + b) | 0) {
    const bit = at & mask;
    if (((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
