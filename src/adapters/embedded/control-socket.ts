import { rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Unavailable } from '#src/ports/errors.ts';

/**
 * The socket by which a command line reaches the server that has the data folder. Only its owner may connect, because
 * requests may contain passwords; the folder must be locked. A request and its answer are one line of JSON each.
 */
export type ControlSocket = Readonly<{ close(): Promise<void> }>;

/** Answers requests until it is closed. What `answer` throws ends the connection. Errors: those of listening. */
export async function openControlSocket(
  dir: string,
  answer: (request: unknown) => Promise<unknown>,
): Promise<ControlSocket> {
  const path = socketIn(dir);
  rmSync(path, { force: true }); // One that a crash left: the folder's lock is ours.
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
    lineOf(socket)
      .then(async (line) => socket.end(`${JSON.stringify(await answer(JSON.parse(line)))}\n`))
      .catch(() => socket.destroy());
  });
  await listening(server, path);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of connections) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Asks the server that has the folder. Errors: Unavailable when none listens, or it does not answer. */
export async function askControlSocket(dir: string, request: object): Promise<unknown> {
  const socket = createConnection(socketIn(dir));
  socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new Error('it does not answer')));
  socket.write(`${JSON.stringify(request)}\n`);
  try {
    return JSON.parse(await lineOf(socket)) as unknown;
  } catch (cause) {
    throw new Unavailable(`No server answers in ${dir}`, { cause });
  } finally {
    socket.destroy();
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(0o077); // The file comes to be in the call, and nobody else may ever open it.
    try {
      server.listen(path, () => {
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

/** Reads up to the first line break. Errors: those of the socket, and for a line too long or cut off. */
function lineOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
      else if (text.length > LINE_MAX) reject(new Error('The line is too long'));
    });
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('The line was cut off'));
    });
  });
}

const socketIn = (dir: string): string => join(dir, 'control.sock');
const LINE_MAX = 16_384;
const ANSWER_MS_MAX = 10_000;
