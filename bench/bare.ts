import { createServer, type Socket } from 'node:net';

/**
 * The cheapest server there can be: it sends every body back without parsing anything. What the load
 * generator reaches against it is the generator's own ceiling on this machine.
 */
const server = createServer({ noDelay: true }, serve);
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`ready on http://127.0.0.1:${process.env['PORT'] ?? ''}\n`);
});
process.once('SIGTERM', () => process.exit(0));

function serve(socket: Socket): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n') + 4;
    if (end < 4 || text.length < end + lengthOf(text)) return;
    const at = text.indexOf(ID) + ID.length;
    const id = text.slice(at, text.indexOf('\r\n', at));
    const body = text.slice(end);
    text = '';
    socket.write(
      `HTTP/1.1 201 Created\r\nX-Request-Id: ${id}\r\n` +
        `Content-Length: ${String(body.length)}\r\n\r\n${body}`,
      'latin1',
    );
  });
  socket.on('error', () => socket.destroy()); // The generator leaves; nothing is lost with it.
}

const ID = 'X-Request-Id: ';
const LENGTH = '\r\nContent-Length: ';

function lengthOf(text: string): number {
  const at = text.indexOf(LENGTH);
  return at < 0 ? 0 : parseInt(text.slice(at + LENGTH.length, at + LENGTH.length + 10), 10);
}
