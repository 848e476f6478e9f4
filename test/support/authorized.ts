import type { Client } from './client.ts';

/** The client with a bearer token in every request that does not bring its own. */
export function authorized(client: Client, token: string): Client {
  const own = { Authorization: `Bearer ${token}` };
  const send: Client['send'] = (sent) =>
    client.send({ ...sent, headers: { ...own, ...sent.headers } });
  return {
    ...client,
    send,
    get: (path, headers = {}) => client.get(path, { ...own, ...headers }),
    post: (path, body, headers = {}) => client.post(path, body, { ...own, ...headers }),
    delete: (path) => send({ method: 'DELETE', path }),
    patch: (path, body) =>
      send({
        method: 'PATCH',
        path,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
