import { ASSET_SCALES, type AssetScales } from '#commands/fees/calculation/asset-scale.ts';
import type { Services } from '#src/http/services.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

/** The services of the handlers that calculate fees. */
export type FeeServices = Readonly<{ scales: AssetScales }>;

/** Scales by upper-case code, which add to those of version 1. */
type FeeSettings = Readonly<{ assetScales: Readonly<Record<string, number>> }>;

/** Reads FEE_ASSET_SCALES, such as `BRL=2,POINTS=0`. */
export function readSettings(reader: SettingReader): FeeSettings {
  const scales = new Map<string, number>();
  for (const one of reader.text('FEE_ASSET_SCALES').split(',').filter(Boolean)) {
    const [, code = '', scale = ''] = /^\s*([^\s=]{1,100})\s*=\s*(\d{1,2})\s*$/.exec(one) ?? [];
    if (code === '' || Number(scale) > SCALE_MAX) {
      reader.mistakes.push(`FEE_ASSET_SCALES must be like BRL=2,JPY=0, up to ${SCALE_MAX}`);
      break;
    }
    scales.set(code.toUpperCase(), Number(scale));
  }
  // Packages name no asset, because every transaction does: the setting is accepted and has no effect.
  reader.text('DEFAULT_CURRENCY');
  return { assetScales: Object.fromEntries(scales) };
}

export const createServices = ({ assetScales = {} }: Partial<FeeSettings>): FeeServices => ({
  scales: new Map([...ASSET_SCALES, ...Object.entries(assetScales)]),
});

export const feeServices = ({ components }: Pick<Services, 'components'>): FeeServices =>
  components['fees'] as FeeServices;

/** The fractional digits of input. */
const SCALE_MAX = 30;
