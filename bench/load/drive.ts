import { Connection, type Answer } from './connection.ts';
import type { Job } from './job.ts';
import type { Tally } from './tally.ts';
import type { Workload } from './workload.ts';

/**
 * Sends a job's requests over its connections until it is over and every request has its answer.
 *
 * Closed loop and paced run differ in one thing: when the nth request is due. A paced request that finds no
 * free connection waits, and its latency runs from the moment it was due, so that a stall of the server is
 * charged to every request it delays.
 */
export class Drive {
  readonly #job: Job;
  readonly #workload: Workload;
  readonly #tally: Tally;
  readonly #idle: Connection[] = [];
  readonly #over = Promise.withResolvers<undefined>();
  #connections: readonly Connection[] = [];
  #startAt = 0;
  #fromAt = 0;
  #untilAt = Infinity;
  #lastAnswerAt = 0;
  #next = 0;
  #open = 0;
  #live = 0;

  constructor(job: Job, workload: Workload, tally: Tally) {
    this.#job = job;
    this.#workload = workload;
    this.#tally = tally;
  }

  async run(): Promise<Readonly<{ issued: number; seconds: number }>> {
    const { port, connections, warmUpSeconds, seconds } = this.#job;
    const events = { answered: this.#answered, broken: this.#broken };
    const opening = Array.from({ length: connections }, () => Connection.open(port, events));
    this.#connections = await Promise.all(opening);
    this.#live = connections;
    this.#startAt = performance.now();
    this.#fromAt = this.#startAt + warmUpSeconds * 1000;
    if (seconds !== undefined) this.#untilAt = this.#fromAt + seconds * 1000;

    const pace = setInterval(this.#tick, PACE_MS);
    const watch = setInterval(this.#dropTheSilent, WATCH_MS);
    for (const connection of this.#connections) this.#proceed(connection);
    await this.#over.promise;
    clearInterval(pace);
    clearInterval(watch);
    for (const connection of this.#connections) connection.close();

    const end = Math.min(this.#untilAt, this.#lastAnswerAt);
    return { issued: this.#next, seconds: Math.max(0.001, (end - this.#fromAt) / 1000) };
  }

  readonly #tick = (): void => {
    while (this.#idle.length > 0 && this.#mayIssue()) this.#issue(this.#idle.shift());
    const closed = this.#isLast() || performance.now() >= this.#untilAt || this.#live === 0;
    if (closed && this.#open === 0) this.#over.resolve(undefined);
  };

  #isLast(): boolean {
    return this.#next >= (this.#job.count ?? ISSUED_MAX);
  }

  #mayIssue(): boolean {
    const now = performance.now();
    return !this.#isLast() && now < this.#untilAt && this.#dueAt(this.#next) <= now;
  }

  #dueAt(seq: number): number {
    return this.#job.rate === undefined ? 0 : this.#startAt + (seq * 1000) / this.#job.rate;
  }

  #issue(connection: Connection | undefined): void {
    if (connection === undefined) return;
    connection.seq = this.#next;
    connection.attempts = 0;
    this.#next += 1;
    this.#open += 1;
    this.#send(connection);
    connection.dueAt =
      this.#job.rate === undefined ? connection.sentAt : this.#dueAt(connection.seq);
  }

  #send(connection: Connection): void {
    const { seq } = connection;
    connection.sentAt = performance.now();
    connection.send(this.#workload.text(seq), this.#workload.status, this.#workload.keep(seq));
  }

  #proceed(connection: Connection): void {
    if (this.#mayIssue()) this.#issue(connection);
    else this.#idle.push(connection);
  }

  readonly #answered = (connection: Connection, answer: Answer): void => {
    this.#tally.status(answer.status);
    this.#tally.answerBytes += answer.bodyBytes;
    if (isBusy(answer.status) && connection.attempts < ATTEMPTS_MAX) {
      this.#repeatLater(connection, answer);
      return;
    }
    this.#judge(connection, answer);
    this.#open -= 1;
    this.#proceed(connection);
  };

  #judge({ seq, dueAt }: Connection, answer: Answer): void {
    const now = performance.now();
    this.#lastAnswerAt = now;
    if (answer.status !== this.#workload.status) {
      const said = answer.body.slice(0, 300);
      this.#tally.fault(`answer ${String(seq)} has status ${String(answer.status)}: ${said}`);
      return;
    }
    const { accepted, busy } = this.#workload.count?.(answer) ?? ONE;
    this.#tally.wanted += accepted;
    this.#tally.busyItems += busy;
    const wrong = answer.head === '' ? undefined : this.#workload.check(seq, answer);
    if (wrong !== undefined) this.#tally.fault(`answer ${String(seq)} ${wrong}`);
    else if (now >= this.#fromAt && now < this.#untilAt) {
      this.#tally.record(now - dueAt, Math.floor((now - this.#fromAt) / 1000), accepted);
    }
  }

  /** As a client would: the same request with the same key, after the time the server asked for. */
  #repeatLater(connection: Connection, { head }: Answer): void {
    connection.attempts += 1;
    this.#tally.repeats += 1;
    const askedMs = Number(/\r\nretry-after: *(\d+)/i.exec(head)?.[1] ?? 1) * 1000;
    setTimeout(
      () => {
        this.#send(connection);
      },
      Math.min(askedMs, RETRY_MS_MAX),
    );
  }

  readonly #broken = (connection: Connection, reason: string): void => {
    this.#tally.fault(`connection ${reason}, request ${String(connection.seq)}`);
    this.#live -= 1;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) {
      this.#idle.splice(at, 1);
      return;
    }
    this.#tally.unanswered += 1;
    this.#open -= 1;
  };

  readonly #dropTheSilent = (): void => {
    const now = performance.now();
    for (const connection of this.#connections) {
      const waits = !this.#idle.includes(connection) && now - connection.sentAt > SILENCE_MS;
      if (waits) connection.fail(`silent for ${String(SILENCE_MS)} ms`);
    }
  };
}

const isBusy = (status: number): boolean => status === 429 || status === 503;

const ONE = { accepted: 1, busy: 0 };
const ISSUED_MAX = 99_999_999; // What the eight digits of a name can tell apart.
const ATTEMPTS_MAX = 120;
const RETRY_MS_MAX = 5000;
const PACE_MS = 1;
const WATCH_MS = 1000;
const SILENCE_MS = 30_000;
