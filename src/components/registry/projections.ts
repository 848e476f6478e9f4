import { erasureCertificateProjection } from '#projections/registry/erasure-certificate.ts';
import { holderAccountProjection } from '#projections/registry/holder-account.ts';
import { holderProjection } from '#projections/registry/holder.ts';
import { instrumentProjection } from '#projections/registry/instrument.ts';
import { protectionAuditProjection } from '#projections/registry/protection-audit.ts';

export const projections = [
  holderProjection,
  instrumentProjection,
  holderAccountProjection,
  erasureCertificateProjection,
  protectionAuditProjection,
];
