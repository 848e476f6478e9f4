import type { Renderer } from '#src/ports/read-store.ts';

/** Renders the record that a row holds as the JSON text of its view. */
export const rendererOf =
  (view: (record: never) => object): Renderer =>
  ({ body }) =>
    JSON.stringify(view(JSON.parse(body) as never));
