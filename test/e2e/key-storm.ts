import { expect } from 'chai';
import { eventCount, type Server } from '#test/support/server.ts';
import { transfer, type Book, type Transaction } from './books.ts';
import { wireTo, type Wire, type WireAnswer } from './wire.ts';

/** Each key is sent so many times at once. */
const TIMES = 3;

/**
 * So many clients, each with keys of its own, send every key several times at once, each time over another
 * connection. Every request of a key must get the same bytes, exactly one of them as the first, and the log
 * one transaction per key.
 */
export async function keyStorm(
  server: Server,
  { at }: Book,
  { clients, keysPerClient }: Readonly<{ clients: number; keysPerClient: number }>,
): Promise<void> {
  const before = await eventCount(server, 'TransactionPosted');
  const ids = new Set<string>();
  const body = JSON.stringify(transfer('@external/BRL', '@alice', '1'));
  const requestOf = (key: string) =>
    `POST ${at}/transactions/json HTTP/1.1\r\nHost: localhost\r\nX-Idempotency: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  const one = async (wires: readonly Wire[], key: string): Promise<void> => {
    const answers = await Promise.all(wires.map((wire) => told(wire, requestOf(key))));
    checkAnswers(key, answers);
    ids.add((JSON.parse(answers[0]?.text ?? '') as Transaction).id);
  };
  const storm = async (n: number): Promise<void> => {
    const wires = await Promise.all(Array.from({ length: TIMES }, () => wireTo(server.port)));
    for (let k = 0; k < keysPerClient; k += 1) await one(wires, `storm-${n}-${k}`);
    for (const wire of wires) wire.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => storm(n)));

  expect(ids.size).to.equal(clients * keysPerClient);
  expect((await eventCount(server, 'TransactionPosted')) - before).to.equal(
    clients * keysPerClient,
  );
}

/** One that came while reads had fallen too far behind comes again, as it was told to. */
async function told(wire: Wire, request: string): Promise<WireAnswer> {
  for (let times = 1; ; times += 1) {
    const answer = await wire.ask(request);
    if (answer.status !== 429 || times === PATIENCE) return answer;
    const seconds = Number(/^retry-after: (\d+)/im.exec(answer.head)?.[1]);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
const PATIENCE = 30;

function checkAnswers(key: string, answers: readonly WireAnswer[]): void {
  const [first] = answers;
  for (const { status, text } of answers) {
    if (status === 201 && text === first?.text) continue;
    expect({ key, status, text }).to.deep.equal({ key, status: 201, text: first?.text });
  }
  const said = answers.map(({ head }) => /^x-idempotency-replayed: (\w+)/im.exec(head)?.[1]);
  const fresh = said.filter((word) => word === 'false').length;
  const repeated = said.filter((word) => word === 'true').length;
  if (fresh === 1 && repeated === answers.length - 1) return;
  expect({ key, said }).to.deep.equal({ key, said: 'false once, true otherwise' });
}
