import { audit } from './audit.ts';
import { openBank } from './bank.ts';
import { NotAsTold } from './not-as-told.ts';
import { paperOn } from './paper.ts';
import { demoFolder, startBank } from './server.ts';
import { story } from './story.ts';
import { verify } from './verify.ts';
import { whereToLook } from './where-to-look.ts';

/**
 * A day of a small bank, told while it happens, through the REST API alone. Stays open on a terminal until Ctrl-C;
 * elsewhere it ends, with exit code 1 if anything was not as told.
 */
const EXIT_INTERRUPTED = 130; // As shells say of what Ctrl-C ended.
const watched = process.stdin.isTTY && process.stdout.isTTY;
const paper = paperOn(process.stdout);
const asked = new Promise<'interrupted'>((resolve) => {
  const interrupt = (): void => {
    resolve('interrupted');
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
});

process.exitCode = await play().catch((error: unknown) => {
  paper.wrong(error instanceof NotAsTold ? error.message : String((error as Error).stack));
  return 1;
});

async function play(): Promise<number> {
  const folder = demoFolder();
  const server = await startBank(folder.path);
  try {
    const told = tell(server.url, folder.path);
    if ((await Promise.race([told, asked])) === 'interrupted') return EXIT_INTERRUPTED;
    if (watched) {
      paper.heading('', 'The bank stays open until you press Ctrl-C');
      await Promise.race([asked, server.ended]);
      paper.say(`Closed. To open it again: DATA_DIR=${folder.path} npm start`);
    }
  } finally {
    await server.stop();
  }
  if (!watched) folder.remove();
  return 0;
}

async function tell(url: string, folder: string): Promise<void> {
  paper.title('A day at Andes Bank');
  paper.say(`The server is up at ${url}, with its data in ${folder}`);
  const bank = await openBank(url, paper);
  for (const { at, title, play: step } of story) {
    paper.heading(at, title);
    await step(bank, paper);
  }
  await whereToLook(bank, paper);
  paper.heading('', 'The books are verified');
  await verify(bank, paper);
  await audit(url, paper);
}
