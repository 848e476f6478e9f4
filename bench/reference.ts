import express, { type Request, type Response } from 'express';
import { parse } from '#src/http/json.ts';
import { jsonHintsOf } from '#src/http/json-hints.ts';
import { validatorOf } from '#src/http/validator.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { createTransactionBody } from '#src/resources/ledger/transaction-body.ts';

/**
 * What the product is measured against: plain Express 5, without etag, with the product's own JSON reader,
 * validator and table of routes. It validates a transaction, sends it back, and keeps nothing.
 */
const app = express();
app.disable('etag');
app.disable('x-powered-by');
for (const { method, path } of routes) {
  const posts = method === 'post' && path.endsWith('/transactions/json');
  app[method](path.replaceAll(/\{(\w+)\}/g, ':$1'), posts ? echo : absent);
}

const port = Number(process.env['PORT'] ?? 0);
app.listen(port, '127.0.0.1', () => {
  process.stdout.write(`ready on http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));

const places = jsonHintsOf(createTransactionBody);
const validate = validatorOf(createTransactionBody);

function echo(request: Request, response: Response): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    response.set('X-Request-Id', request.get('X-Request-Id'));
    response.status(201).json(validate(parse(text, places)));
  });
}

function absent(_: Request, response: Response): void {
  response.sendStatus(404);
}
