import { expect } from 'chai';
import { connect, createServer, type AddressInfo } from 'node:net';
import { callServer } from '#src/adapters/mongodb/call.ts';
import { Unavailable } from '#src/ports/errors.ts';

describe('reaching a MongoDB-compatible server', () => {
  it('is Unavailable when the driver writes to a connection that the server has just ended', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    const writing = new Promise((resolve, reject) => {
      const write = () => socket.write('?', (error) => (error ? reject(error) : resolve('sent')));
      socket.once('end', () => setImmediate(write));
    });

    const error = await callServer(() => writing).catch((failure: unknown) => failure);
    socket.destroy();
    server.close();
    expect(error).to.be.instanceOf(Unavailable);
  });

  it('leaves a defect what it is', async () => {
    const defect = new TypeError('A defect');
    const error = await callServer(() => Promise.reject(defect)).catch(
      (failure: unknown) => failure,
    );
    expect(error).to.equal(defect);
  });
});
