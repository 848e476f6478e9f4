import { expect } from 'chai';
import fc from 'fast-check';
import {
  BODY_BYTES_MAX,
  QueueReader,
  QueueWriter,
  newQueueMemory,
  type Frame,
  type ReadFrame,
} from '#src/http/threads/frame-queue.ts';

/** A queue whose both ends are in this thread. */
function newQueue() {
  const memory = newQueueMemory();
  const said: string[] = [];
  const writer = new QueueWriter(memory, () => said.push('wake'));
  const reader = new QueueReader(memory, () => said.push('room'));
  const got: ReturnType<typeof copied>[] = [];
  const read = () => reader.read((frame) => got.push(copied(frame)));
  return { writer, read, got, said };
}

const copied = (frame: ReadFrame) => ({
  ...{ kind: frame.kind, slot: frame.slot, serial: frame.serial, a: frame.a, b: frame.b },
  text: frame.text,
  body: frame.isAscii ? frame.asciiBody() : frame.body().toString('hex'),
});

const expected = ({ kind, slot, serial, a = 0, b = 0, text = '', body = '' }: Frame) => {
  const isAscii = typeof body === 'string' && /^[\0-\x7f]*$/.test(body);
  const bytes = Buffer.from(body as string);
  return { kind, slot, serial, a, b, text, body: isAscii ? body : bytes.toString('hex') };
};

const number = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const length = fc.oneof(fc.nat(200), fc.nat(BODY_BYTES_MAX));
const frames = fc.record({
  ...{ kind: number, slot: number, serial: number, a: number, b: number },
  text: fc.oneof(
    fc.constant(''),
    fc.nat(16_000).map((n) => 'é\n'.repeat(n / 2)),
  ),
  body: fc.oneof(
    length.map((n) => 'a'.repeat(n)),
    length.map((n) => '€'.repeat(n)),
    length.map((n) => new Uint8Array(n).fill(n)),
  ),
});

describe('a queue of frames', () => {
  it('gives them back whole and in order, however writing and reading alternate', () => {
    const steps = fc.array(fc.record({ frames: fc.array(frames, { maxLength: 12 }) }));
    fc.assert(
      fc.property(steps, (turns) => {
        const { writer, read, got } = newQueue();
        const due: Frame[] = [];
        for (const turn of turns) {
          for (const frame of turn.frames) {
            while (!writer.write(frame)) read();
            due.push(frame);
          }
          read();
        }
        expect(got).to.deep.equal(due.map(expected));
      }),
    );
  });

  it('refuses what has no room, and says when there is room again', () => {
    const { writer, read, got, said } = newQueue();
    const frame = { kind: 1, slot: 0, serial: 0, body: new Uint8Array(BODY_BYTES_MAX) };
    let written = 0;
    while (writer.write(frame)) written += 1;
    expect(written).to.equal(15);
    expect(writer.askForRoom()).to.equal(true);
    read();
    expect(said).to.deep.equal(['room']);
    expect(got).to.have.length(15);
    expect(writer.write(frame)).to.equal(true);
    read();
    expect(said).to.deep.equal(['room']); // It was asked for once.
  });

  it('does not wait for room that was made before it asked', () => {
    const { writer, read } = newQueue();
    const frame = { kind: 1, slot: 0, serial: 0, body: new Uint8Array(BODY_BYTES_MAX) };
    while (writer.write(frame));
    read();
    expect(writer.askForRoom()).to.equal(false);
  });

  it('wakes its reader only when it sleeps', () => {
    const { writer, read, said } = newQueue();
    const frame = { kind: 1, slot: 0, serial: 0 };
    writer.write(frame);
    writer.flush();
    expect(said).to.deep.equal([]); // It has not slept yet.
    read();
    writer.write(frame);
    writer.flush();
    writer.write(frame);
    writer.flush();
    expect(said).to.deep.equal(['wake']);
  });

  it('leaves to another turn what arrives while it is read', () => {
    const memory = newQueueMemory();
    const writer = new QueueWriter(memory, () => expect.fail('It is awake'));
    const reader = new QueueReader(memory, () => undefined);
    const kinds: number[] = [];
    const read = () =>
      reader.read(({ kind }) => {
        kinds.push(kind);
        if (kind < 3) writer.write({ kind: kind + 1, slot: 0, serial: 0 });
        writer.flush();
      });
    writer.write({ kind: 1, slot: 0, serial: 0 });
    expect(read()).to.equal(true);
    expect(kinds).to.deep.equal([1]);
    expect([read(), read()]).to.deep.equal([true, false]);
    expect(kinds).to.deep.equal([1, 2, 3]);
  });
});
