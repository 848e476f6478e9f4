import { createRequire } from 'node:module';
import type Kafkajs from 'kafkajs';
import { encodeRecord } from './record-encoding.ts';

const require = createRequire(import.meta.url);

/**
 * The driver, with an encoder of records that takes a fraction of the time. Its last release has no setting for that, so
 * the encoder's module is replaced before the driver loads it. A driver that was loaded before, or is built differently,
 * keeps its own encoder, which writes the same bytes.
 */
function load(): typeof Kafkajs {
  try {
    const encoder = require.resolve('kafkajs/src/protocol/recordBatch/record/v0/index.js');
    require(encoder);
    const cached = require.cache[encoder];
    if (cached !== undefined) cached.exports = encodeRecord;
  } catch {
    // The driver is built differently.
  }
  return require('kafkajs') as typeof Kafkajs;
}

export const kafkajs = load();
