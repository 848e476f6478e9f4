/** The other live processes that decide commands of the same log. */
export interface Peers {
  /** Returns the process that owns a journal; undefined while it is this one. */
  ownerOf(journal: string): Peer | undefined;
}

/** Another process. What is sent and returned is data that JSON can carry. */
export interface Peer {
  /** Errors: NotSent; PeerLost. */
  ask(question: object): Promise<unknown>;
}

/** Answers the questions of peers. */
export type AnswerPeer = (question: unknown) => Promise<object>;

/** The question did not leave this process. */
export class NotSent extends Error {
  /** Too many questions wait for this peer already. */
  readonly isBusy: boolean;
  constructor(message: string, isBusy = false) {
    super(message);
    this.name = 'NotSent';
    this.isBusy = isBusy;
  }
}

/** The peer was lost before it answered. It may have the question, and may still act upon it. */
export class PeerLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PeerLost';
  }
}
