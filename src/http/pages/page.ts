import { createHash } from 'node:crypto';
import type { Reply } from '#src/http/reply.ts';
import { markup, type Markup } from './markup.ts';
import { style } from './style.ts';

export type HtmlPage = Readonly<{
  title: string;
  /** Shown next to the text in a wide window, above it in a narrow one. */
  nav?: Markup;
  main: Markup;
  /** Default 200. */
  status?: number;
}>;

/** Renders a self-contained page: no script, no font, no picture but its own icon. */
export function pageReply({ title, nav, main, status = 200 }: HtmlPage): Reply {
  const { markup: text } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Quipu</title>
<link rel="icon" href="${ICON}">
<style>${{ markup: style }}</style>
</head>
<body>
<header class="top"><strong>Quipu</strong> <a href="/docs">Operations</a> <a href="/docs/errors">Errors</a>
<a href="/openapi.json">OpenAPI</a></header>
${nav === undefined ? markup`<main>${main}</main>` : markup`<div class="with-nav">${nav}<main>${main}</main></div>`}
</body>
</html>
`;
  return { status, body: [Buffer.from(text)], headers: HEADERS };
}

/** Three knotted cords. */
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' stroke='%23888' fill='%23b3261e'>" +
  "<path d='M1 2h14M4 2v12M8 2v12M12 2v12'/><circle cx='4' cy='7' r='1.5'/><circle cx='8' cy='10' r='1.5'/>" +
  "<circle cx='12' cy='5' r='1.5'/></svg>";

const styleHash = createHash('sha256').update(style).digest('base64');

/** Forbids loading and running anything; the one style sheet is allowed by its hash. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};
