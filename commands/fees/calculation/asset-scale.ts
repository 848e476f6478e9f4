/** The fractional digits to which version 1 rounds a fee; the code is compared without letter case. */
export const assetScale = (code: string, scales: AssetScales): number =>
  scales.get(code.toUpperCase()) ?? OTHERS;

/** Scales by upper-case code. */
export type AssetScales = ReadonlyMap<string, number>;

/** The scales of contract registry-and-fees §B6. An operator can add to them. */
export const ASSET_SCALES: AssetScales = new Map(
  (
    [
      [2, 'BRL USD EUR GBP CAD AUD'],
      [0, 'JPY KRW CLP VND ISK UGX'],
      [3, 'KWD BHD OMR'],
      [6, 'USDT USDC'],
      [8, 'BTC'],
      [18, 'ETH'],
    ] as const
  ).flatMap(([scale, codes]) => codes.split(' ').map((code) => [code, scale] as const)),
);

const OTHERS = 2;
