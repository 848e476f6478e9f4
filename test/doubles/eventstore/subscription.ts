import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Calls } from './calls.ts';
import { filterOf } from './filter.ts';
import type { Outlet } from './outlet.ts';
import { isBehind, pointOf } from './point.ts';

/** Everything behind a point: confirmation, events, caught up, then live, with checkpoints in between. */
export async function serveSubscription(
  { log, faults }: Calls,
  options: ReadReq.Options,
  outlet: Outlet,
): Promise<void> {
  const matches = filterOf(options);
  const perCheckpoint = 32 * (options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
  const from = pointOf(options, log);
  let at = log.numberAt(from.commit);
  let considered = 0;
  let checkpoints = 0;
  let live = false;

  let wake = (): void => {};
  const stopListening = log.onGrown(() => wake());
  const stopFearing = faults.on((blow) => {
    if (blow === 'drop subscriptions') {
      outlet.fail({ code: status.ABORTED, details: 'Consumer too slow' });
    }
  });
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  await outlet.write(
    new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(randomUUID())),
  );

  while (!outlet.isGone) {
    const event = log.entry(at);
    if (event === undefined) {
      if (!live)
        await outlet.write(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
      live = true;
      const grown = new Promise<void>((resolve) => (wake = resolve));
      if (log.entry(at) === undefined) await Promise.race([grown, outlet.gone]);
      continue;
    }
    at += 1;
    considered += 1;
    if (isBehind(event, from) && matches(event)) {
      if (faults.now.slowMs > 0) await sleep(faults.now.slowMs);
      const bytes = log.bytes(event);
      await outlet.write(bytes);
      if (faults.now.duplicates) await outlet.write(bytes);
    }
    if (options.hasFilter() && considered % perCheckpoint === 0) {
      checkpoints += 1;
      const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(
        String(event.position),
      );
      // Every other one makes whoever resumes from it get its event once more.
      checkpoint.setPreparePosition(checkpoints % 2 === 0 ? '0' : String(event.position));
      await outlet.write(new streams.ReadResp().setCheckpoint(checkpoint));
    }
  }
  stopListening();
  stopFearing();
}
