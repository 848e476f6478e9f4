/* The random tests that `npm test` runs a tenth as often, in full. */
process.env['FULL_RUNS'] = '1';

await import('#test/commands/ledger/cross-ledger/interleavings.spec.ts');
await import('#test/commands/ledger/processes/steps.spec.ts');
await import('#test/commands/ledger/transaction/overdraft-invariants.spec.ts');
await import('#test/commands/ledger/transaction/state-machine.spec.ts');
await import('#test/commands/ledger/unique-ledgers.spec.ts');
await import('#test/events/stable-bytes.spec.ts');
await import('#test/http/json.spec.ts');
await import('#test/journal/key-filter.spec.ts');
await import('#test/kernel/amount.spec.ts');
await import('#test/runtime/delivery/kills.spec.ts');
