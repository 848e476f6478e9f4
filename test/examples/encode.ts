import type { ExampleMedia } from './example-api.ts';

/** Encodes a body in a media type, with the content type that says so. */
export function encode(
  media: ExampleMedia,
  body: unknown,
): Readonly<{ type: string; text: string }> {
  switch (media) {
    case 'application/x-ndjson':
      return {
        type: media,
        text: (body as unknown[]).map((one) => JSON.stringify(one) + '\n').join(''),
      };
    case 'application/x-www-form-urlencoded':
      return { type: media, text: new URLSearchParams(body as Record<string, string>).toString() };
    case 'multipart/form-data':
      return {
        type: `${media}; boundary=${BOUNDARY}`,
        text: multipart(body as Record<string, string>),
      };
    case 'text/plain':
      return { type: media, text: body as string };
    default:
      return { type: media, text: JSON.stringify(body) };
  }
}

/** Returns the example of an encoded body: of lines the first, because the schema describes a line. */
export const exampleOf = (media: ExampleMedia, body: unknown): unknown =>
  media === 'application/x-ndjson' ? (body as unknown[])[0] : body;

/** Decodes the body of a response to its example. */
export function decode(media: ExampleMedia, text: string): unknown {
  if (media === 'text/event-stream') return text;
  return JSON.parse(media === 'application/x-ndjson' ? (text.split('\n', 1)[0] ?? '') : text);
}

const multipart = (parts: Record<string, string>): string =>
  Object.entries(parts)
    .map(([name, text]) => {
      const disposition = `form-data; name="${name}"; filename="payment.gold"`;
      return `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n\r\n${text}\r\n`;
    })
    .join('') + `--${BOUNDARY}--\r\n`;

const BOUNDARY = 'boundary';
