import { killedServer } from '#test/crash/kills.ts';
import { seedOfRun } from '#test/support/random.ts';

const ROUNDS = Number(process.env['KILLS'] ?? 80);

describe('a server that is killed, frozen and stopped', function () {
  this.timeout(120_000 + ROUNDS * 60_000);

  killedServer(ROUNDS, seedOfRun(80), ['kill', 'freeze', 'thaw', 'stop']);
});
