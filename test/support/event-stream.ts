import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { HTTP, type CloudEvent } from 'cloudevents';
import { until } from './until.ts';

/** One server-sent event. */
export type StreamMessage = Readonly<{ id: string; event: string; data: string }>;

/** An open stream of server-sent events. */
export type EventStream = Readonly<{
  response: IncomingMessage;
  /** Grows as messages arrive. */
  messages: readonly StreamMessage[];
  read: () => void;
  comments: () => number;
  /** Resolves when there are so many messages. */
  have: (count: number) => Promise<readonly StreamMessage[]>;
  hasEnded: () => boolean;
  close: () => void;
}>;

type StreamOptions = Readonly<{
  headers?: object;
  unread?: boolean;
  /** Gets each message, which is not kept. */
  onMessage?: (message: StreamMessage) => void;
}>;

/** Opens a stream; with `unread`, nothing is read of it before `read` is called. */
export async function openEventStream(
  { port }: Readonly<{ port: number }>,
  path: string,
  { headers, unread = false, onMessage }: StreamOptions = {},
): Promise<EventStream> {
  const accept = { Accept: 'text/event-stream', ...headers };
  const asked = request({ host: '127.0.0.1', port, path, headers: accept, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const messages: StreamMessage[] = [];
  let comments = 0;
  let ended = false;
  let rest = '';
  const take = (text: string): void => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) comments += 1;
      else if (onMessage === undefined) messages.push(messageIn(block));
      else onMessage(messageIn(block));
    }
  };
  response.setEncoding('utf8').on('close', () => (ended = true));
  response.on('error', () => (ended = true));
  const read = (): void => void response.on('data', take);
  if (!unread) read();
  return {
    response,
    messages,
    read,
    comments: () => comments,
    have: async (count) => {
      await until(() => messages.length >= count, 30_000, `${count} messages`);
      return messages;
    },
    hasEnded: () => ended,
    close: () => asked.destroy(),
  };
}

/** Reads a block of exactly the lines that are promised. */
function messageIn(block: string): StreamMessage {
  const [, id, event, data] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
  if (id === undefined || event === undefined || data === undefined) {
    throw new Error(`Not a message: ${block}`);
  }
  return { id, event, data };
}

/** The event of a message, as the CloudEvents SDK reads it. */
export const cloudEventIn = ({ data }: StreamMessage): CloudEvent<unknown> =>
  HTTP.toEvent({
    headers: { 'content-type': 'application/cloudevents+json' } satisfies IncomingHttpHeaders,
    body: data,
  }) as CloudEvent<unknown>;
