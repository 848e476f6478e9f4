import type { Services } from '#src/http/services.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

export type VoucherServices = Readonly<{ vouchersMax: number }>;

export const readSettings = (reader: SettingReader): VoucherServices => ({
  vouchersMax: reader.integer('VOUCHERS_MAX', 1000, 1, 1_000_000),
});

export const createServices = (settings: VoucherServices): VoucherServices => settings;

export const voucherServices = ({ components }: Pick<Services, 'components'>): VoucherServices =>
  components['toy'] as VoucherServices;
