import { parentPort } from 'node:worker_threads';
import { systemIds } from '#src/adapters/system.ts';
import { serveHttp } from '#src/http/threads/serve-http.ts';

/* An HTTP thread with a defect that shows on its second message: the first one asks it to listen, this one has a reply. */
let messages = 0;
serveHttp(systemIds());
parentPort!.on('message', () => {
  messages += 1;
  if (messages === 2) throw new Error('a defect');
});
