import { Drive } from './load/drive.ts';
import type { Job, Report } from './load/job.ts';
import { Tally } from './load/tally.ts';
import { workloadOf } from './load/works.ts';

/**
 * The load generator, a process of its own: `node bench/load.ts '<job as JSON>'` prints a report as one line
 * of JSON. Its cost is the server's loss on a machine they share, so it reports that as well.
 */
const job = JSON.parse(process.argv[2] ?? '') as Job;
const workload = workloadOf(job);
const tally = new Tally();

const before = process.cpuUsage();
const { issued, seconds } = await new Drive(job, workload, tally).run();
const spent = process.cpuUsage(before);

const report: Report = {
  issued,
  wanted: tally.wanted,
  measured: tally.measured,
  busyItems: tally.busyItems,
  seconds,
  perSecond: tally.measured / seconds,
  latencyMs: tally.latency(),
  series: tally.series(),
  statuses: tally.statuses(),
  repeats: tally.repeats,
  unanswered: tally.unanswered,
  faults: { count: tally.faults, samples: tally.faultSamples },
  answerBytes: tally.answerBytes,
  generatorMicros: (spent.user + spent.system) / Math.max(1, issued),
};
process.stdout.write(JSON.stringify(report) + '\n');
