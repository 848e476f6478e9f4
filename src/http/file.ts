import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { refuse, type Refusal } from '#src/kernel/errors.ts';

export type FilePart = Readonly<{ fileName: string; bytes: Buffer }>;

/**
 * Returns the file with a name in a multipart/form-data body; undefined if there is none, or more than one. The body is
 * already limited; other parts are ignored. Errors: BODY_UNREADABLE for a body that is not valid multipart/form-data.
 */
export function fileOf(
  body: Buffer,
  contentType: string,
  name: string,
): Promise<FilePart | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<FilePart | undefined>();
  const refused = (error: unknown): void => reject(unreadable(error));
  const found: FilePart[] = [];
  try {
    const headers: BusboyHeaders = { 'content-type': contentType };
    const parts = new Busboy({ headers, limits: LIMITS, preservePath: true, isPartAFile });
    parts.on('file', (field, file, fileName) => {
      const chunks: Buffer[] = [];
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('error', refused);
      file.on('end', () => {
        if (field === name) found.push({ fileName, bytes: Buffer.concat(chunks) });
      });
    });
    parts.on('error', refused);
    parts.on('finish', () => {
      resolve(found.length === 1 ? found[0] : undefined);
    });
    let tooMany = false;
    parts.on('partsLimit', () => (tooMany = true));
    for (let from = 0; from < body.length && !hasTooMany(); from += SLICE) {
      parts.write(body.subarray(from, from + SLICE));
    }
    if (hasTooMany()) throw new Error(`it has more than ${LIMITS.parts} parts`);
    parts.end();
    function hasTooMany(): boolean {
      return tooMany;
    }
  } catch (error) {
    refused(error);
  }
  return promise;
}

const isPartAFile = (_name?: string, _type?: string, fileName?: string): boolean =>
  fileName !== undefined;

const unreadable = (error: unknown): Refusal =>
  refuse(
    'BODY_UNREADABLE',
    `The body is not multipart/form-data: ${error instanceof Error ? error.message : 'it cannot be read'}.`,
  );

/** Limits for a form with one file and a few short fields. */
const LIMITS = { parts: 20, fieldSize: 16 * 1024, headerPairs: 20, headerSize: 16 * 1024 };
/** Parts cost more than their bytes, so the number of parts is checked after each slice of this many bytes. */
const SLICE = 16 * 1024;
