import { memoryNoticeBoard, type MemoryNoticeData } from '#test/doubles/memory/notice-board.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { noticeBoardContract } from './notice-board.contract.ts';

describe('notice board: memory', () => {
  const data: MemoryNoticeData = new Map();
  noticeBoardContract(async () => memoryNoticeBoard(systemScheduler, data));
});
