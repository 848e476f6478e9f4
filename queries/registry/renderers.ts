import { rendererOf } from '#queries/renderer.ts';
import type { ProtectionAudit } from '#src/events/registry/registry.ts';
import type { Renderer, Renderers } from '#src/ports/read-store.ts';
import { protectionAuditView } from '#src/resources/registry/protection.ts';

/** Renders a row as it is stored: the thread that reads rows has no keys to open them. */
const sealed: Renderer = ({ body }) => body;

export const renderers: Renderers = {
  rows: {
    holder: sealed,
    instrument: sealed,
    holderAccount: sealed,
    erasureCertificate: sealed,
    protectionAudit: rendererOf((audit: ProtectionAudit) => protectionAuditView(audit)),
  },
  entries: {},
};
