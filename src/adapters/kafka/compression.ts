import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { CompressionTypes } from 'kafkajs';
import { kafkajs } from './driver.ts';

export type Compression = 'lz4' | 'zstd' | 'gzip' | 'none';

/** Returns the driver's number of a compression; it has gzip built in, and the others are registered here. */
export async function compressionType(compression: Compression): Promise<CompressionTypes> {
  const { CompressionTypes: types, CompressionCodecs: codecs } = kafkajs;
  switch (compression) {
    case 'none':
      return types.None;
    case 'gzip':
      return types.GZIP;
    case 'lz4': {
      // Native code, loaded only on request. Kafka accepts only the frame format.
      const { compressFrame, decompressFrame } = await import('lz4-napi');
      codecs[types.LZ4] = codec(compressFrame, decompressFrame);
      return types.LZ4;
    }
    case 'zstd':
      codecs[types.ZSTD] = codec(
        promisify<Buffer, Buffer>(zstdCompress),
        promisify<Buffer, Buffer>(zstdDecompress),
      );
      return types.ZSTD;
  }
}

type Transform = (data: Buffer) => Promise<Buffer>;

const codec = (compress: Transform, decompress: Transform) => () => ({
  compress: ({ buffer }: Readonly<{ buffer: Buffer }>) => compress(buffer),
  decompress,
});
