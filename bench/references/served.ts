import { readFileSync } from 'node:fs';
import type { Express } from 'express';

export const PATH = '/v1/organizations/:organization_id/ledgers/:ledger_id/transactions/json';

/** A response of the product to one of the same requests, which every reference sends to all of them. */
export const reply = readFileSync(process.env['REPLY'] ?? '', 'utf8');

/** Serves on the port of the environment, and says so as the product does. */
export function ready(app: Express): void {
  const port = Number(process.env['PORT'] ?? 0);
  app.listen(port, '127.0.0.1', () => {
    process.stdout.write(`ready on http://127.0.0.1:${port}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}
