import { createHash } from 'node:crypto';
import type { Reply } from '#src/http/reply.ts';
import { markup, type Markup } from './markup.ts';
import { SERVER } from './sample-request.ts';
import { SCRIPTS } from './scripts.ts';
import { style } from './style.ts';

export type HtmlPage = Readonly<{
  title: string;
  /** Shown next to the text in a wide window, above it in a narrow one. */
  nav?: Markup;
  main: Markup;
  /** Default 200. */
  status?: number;
}>;

/** Renders a page that is complete without scripts, fonts and pictures; a script adds the search and *try it*. */
export function pageReply({ title, nav, main, status = 200 }: HtmlPage): Reply {
  const { markup: text } = markup`<!doctype html>
<html lang="en" data-server="${SERVER}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Quipu</title>
<link rel="icon" href="${ICON}">
<style>${{ markup: style }}</style>
<script type="module" src="/${SCRIPTS}/main.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="brand" href="/docs">${KNOTS} Quipu</a>
<div id="search"></div>
<nav class="links" aria-label="Documents"><a href="/docs">Reference</a> <a href="/docs/errors">Errors</a> <a href="/openapi.json">OpenAPI</a></nav></header>
${
  nav === undefined
    ? markup`<main id="main">${main}</main>`
    : markup`<div class="with-nav">${nav}<main id="main">${main}</main></div>`
}
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
const KNOTS: Markup = {
  markup:
    '<svg class="knots" viewBox="0 0 16 16" aria-hidden="true"><path d="M1 2h14M4 2v12M8 2v12M12 2v12"/>' +
    '<circle cx="4" cy="7" r="1.5"/><circle cx="8" cy="10" r="1.5"/><circle cx="12" cy="5" r="1.5"/></svg>',
};

const styleHash = createHash('sha256').update(style).digest('base64');

/** Allows the one style sheet by its hash, the scripts of this server, and requests to it. Everything else is forbidden. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; script-src 'self'; connect-src 'self'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};
