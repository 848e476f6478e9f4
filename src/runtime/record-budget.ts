/** The records that one load of a lane may have; `settle` says how many it has, `release` that they are finished. */
export type RecordShare = Readonly<{
  records: number;
  settle(used: number): Readonly<{ release(): void }>;
}>;

/**
 * Bounds the records that all lanes have in hand: a half is divided among them, so that none waits for another, and any
 * lane may take what is left of the other half. Most topics are idle at any time, and a busy one needs long loads.
 */
export type RecordBudget = Readonly<{ take(): RecordShare }>;

/** `loads`: the number of loads that all lanes can have at once. */
export function createRecordBudget(recordsMax: number, loads: number): RecordBudget {
  const own = Math.min(LOAD_RECORDS_MAX, Math.max(1, Math.floor(recordsMax / (2 * loads))));
  let left = Math.max(0, recordsMax - own * loads);
  return {
    take() {
      const extra = Math.min(left, LOAD_RECORDS_MAX - own);
      left -= extra;
      return {
        records: own + extra,
        settle(used) {
          const kept = Math.max(0, used - own);
          left += extra - kept;
          return {
            release() {
              left += kept;
            },
          };
        },
      };
    },
  };
}

const LOAD_RECORDS_MAX = 1000;
