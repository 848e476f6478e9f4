import { memoryLeases, type MemoryLeaseData } from '#test/doubles/memory/leases.ts';
import { leasesContract } from './leases.contract.ts';

describe('leases: memory', () => {
  const data: MemoryLeaseData = new Map();
  leasesContract(async (scheduler) => memoryLeases(scheduler, data));
});
