import { memoryLeases, type MemoryLeaseData } from '#src/adapters/memory/leases.ts';
import { leasesContract } from './leases.contract.ts';

describe('leases: memory', () => {
  const data: MemoryLeaseData = new Map();
  leasesContract(async (scheduler) => memoryLeases(scheduler, data));
});
