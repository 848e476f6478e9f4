/** The entry file of the thread that answers reads, as the server starts it. */
export const READ_WORKER = new URL('../../src/bootstrap/read-worker.ts', import.meta.url);
