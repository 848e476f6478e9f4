import { holderWriteRoutes } from '#commands/registry/api/holder.ts';
import { instrumentWriteRoutes } from '#commands/registry/api/instrument.ts';
import { holderAccountWriteRoutes } from '#commands/registry/api/holder-account.ts';
import { encryptionWriteRoutes } from '#commands/registry/api/encryption.ts';
import { erasureCertificateRoutes } from '#queries/registry/erasure-certificate.ts';
import { holderReadRoutes } from '#queries/registry/holder.ts';
import { instrumentReadRoutes } from '#queries/registry/instrument.ts';
import { holderAccountRoutes } from '#queries/registry/holder-account.ts';
import { protectionRoutes } from '#queries/registry/protection.ts';

export const routes = [
  ...holderWriteRoutes,
  ...holderAccountWriteRoutes,
  ...holderReadRoutes,
  ...instrumentWriteRoutes,
  ...instrumentReadRoutes,
  ...holderAccountRoutes,
  ...erasureCertificateRoutes,
  ...encryptionWriteRoutes,
  ...protectionRoutes,
];
