import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';

/** Keeps why consumers of the log have stopped, by their names, until they go on. */
export type StoppedConsumers = Readonly<{
  reasons: ReadonlyMap<string, string>;
  failed: (fault: Pick<ProjectionFault, 'projection' | 'message'>) => void;
  /** Forgets those that a later report shows at work: a thread that failed is started again, and tries every consumer. */
  heard: (report: Pick<ProjectionReport, 'collections' | 'caughtUp'>) => void;
}>;

export function createStoppedConsumers(): StoppedConsumers {
  const reasons = new Map<string, string>();
  return {
    reasons,
    failed({ projection, message }) {
      reasons.set(projection, message);
    },
    heard({ collections, caughtUp }) {
      for (const name of reasons.keys()) {
        const isAtWork = name === 'projector' ? caughtUp : collections.get(name)?.stopped === false;
        if (isAtWork) reasons.delete(name);
      }
    },
  };
}
