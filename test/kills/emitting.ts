import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import type { EmittedRecord } from '#src/events/streaming/emitted.ts';
import { producerJournal } from '#src/kernel/journal-name.ts';
import { createProducer } from '#src/library/streaming.ts';

/** At this pace a kill finds something unpublished, and most is emitted between kills. */
const WAVE = 150;
const PACE_MS = 60;

/** Emits numbers up to a total, continuing behind the last one in its log, and relays the log until it is killed. */
const [, , folder = '', brokers = '', total = '0'] = process.argv;

const producer = await createProducer({
  ...{ producer: 'lending', platform: 'quipu', source: 'lending', folder },
  settings: {
    STREAMING_ENABLED: 'true',
    STREAMING_BROKERS: brokers,
    STREAMING_TOPICS_AUTOCREATE: 'true',
    STREAMING_RECORD_DELIVERY_TIMEOUT_S: '5',
    STREAMING_CB_TIMEOUT_S: '1',
  },
});
for (let n = await lastNumber(); n < Number(total);) {
  const wave = Array.from({ length: Math.min(WAVE, Number(total) - n) }, (_, at) => n + at + 1);
  await Promise.all(
    wave.map((number) =>
      producer.emit('payment.requested', {
        payload: { id: randomUUID(), number },
        recordKey: `key-${number % 50}`,
      }),
    ),
  );
  n += wave.length;
  await new Promise((resolve) => setTimeout(resolve, PACE_MS));
}
setInterval(() => {}, 60_000);

async function lastNumber(): Promise<number> {
  if (!existsSync(folder)) return 0;
  const log = openEmbeddedLog(folder);
  const last = await log.last(producerJournal('lending'));
  await log.close();
  if (last === undefined) return 0;
  const { value } = JSON.parse(last.data) as EmittedRecord;
  return (JSON.parse(value) as { number: number }).number;
}
