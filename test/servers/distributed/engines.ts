import { BROKERS, describeOnKafka } from '../kafka.ts';
import { MONGODB_URL } from '../mongo.ts';

/** `describe` where there are a MongoDB and a Kafka. */
export function describeOnEngines(title: string, suite: () => void): void {
  if (BROKERS.length > 0 && MONGODB_URL === '') {
    const missing = (): void => {
      throw new Error('MONGODB_URL is not set');
    };
    if (process.env['REQUIRE_ENGINES'] === '1') it(title, missing);
    else describe.skip(title, suite);
    return;
  }
  describeOnKafka(title, suite);
}

/** A figure that a story came to, for whoever reads the run. */
export const note = (text: string): void => console.log(`      ${text}`);

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export const STORY_MS = 300_000;

/** How long an engine stays away where it is to be missed; ENGINE_AWAY_S=60 is the minute of a long run. */
export const AWAY_MS = 1000 * Number(process.env['ENGINE_AWAY_S'] ?? '10');
