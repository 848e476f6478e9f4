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

export const STORY_MS = 120_000;
