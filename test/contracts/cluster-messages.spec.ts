import {
  memoryClusterMessages,
  type MemoryNoticeData,
} from '#test/doubles/memory/cluster-messages.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { noticeBoardContract } from './cluster-messages.contract.ts';

describe('notice board: memory', () => {
  const data: MemoryNoticeData = new Map();
  noticeBoardContract(async () => memoryClusterMessages(systemScheduler, data));
});
