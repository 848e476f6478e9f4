import express from 'express';
import { PATH, ready, reply } from './served.ts';

/** Express 5 as its manual shows it: it parses every body, and serializes and tags every response. */
const app = express();
app.use(express.json());
const transaction: unknown = JSON.parse(reply);
app.post(PATH, (_, response) => {
  response.status(201).json(transaction);
});
ready(app);
