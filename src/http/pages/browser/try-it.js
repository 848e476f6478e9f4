import { all, element } from './elements.js';

/** Sends the forms of operations to this server, and shows the responses. */
export function addTryIt() {
  for (const form of all('.try form', HTMLFormElement)) {
    form.parentElement?.addEventListener('toggle', () => recall(form));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      remember(form);
      void send(form);
    });
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const output = form.querySelector('output');
  const { method = '', creates = '' } = form.dataset;
  const { url, headers, body } = requestOf(form);
  const started = performance.now();
  output?.replaceChildren(element('p', { class: 'soft' }, 'Waiting for the response'));
  try {
    const init = {
      method,
      headers,
      ...(body !== '' && { body }),
      credentials: /** @type {const} */ ('omit'),
    };
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await textOf(response);
    const ms = Math.round(performance.now() - started);
    const { id } = response.ok && creates !== '' ? JSON.parse(text) : {};
    if (typeof id === 'string') sessionStorage.setItem(`quipu.path.${creates}`, id);
    output?.replaceChildren(...shown(response, text, ms));
  } catch (error) {
    output?.replaceChildren(element('p', { class: 'failed' }, String(error)));
  }
}

/**
 * @param {HTMLFormElement} form
 * @returns {{ url: string, headers: Headers, body: string }}
 */
function requestOf(form) {
  const { path = '' } = form.dataset;
  const query = new URLSearchParams();
  const headers = new Headers();
  const values = new FormData(form);
  let url = path;
  for (const [name, value] of values) {
    if (typeof value !== 'string' || value === '') continue;
    const [where, rest = ''] = split(name);
    if (name === 'query')
      new URLSearchParams(value).forEach((text, key) => query.append(key, text));
    else if (where === 'path') url = url.replace(`{${rest}}`, encodeURIComponent(value));
    else if (where === 'query') query.append(rest, value);
    else if (where === 'header') headers.set(rest, value);
    else if (name === 'token') headers.set('Authorization', `Bearer ${value}`);
  }
  const body = String(values.get('body') ?? '');
  if (body !== '') headers.set('Content-Type', String(values.get('media')));
  return { url: query.size === 0 ? url : `${url}?${query}`, headers, body };
}

/**
 * Reads the beginning of a response, which may be a stream without an end.
 *
 * @param {Response} response
 */
async function textOf({ body }) {
  if (body === null) return '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const deadline = setTimeout(() => void reader.cancel(), STREAM_MS);
  let text = '';
  while (text.length < SHOWN_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  clearTimeout(deadline);
  if (text.length >= SHOWN_MAX) void reader.cancel();
  return text;
}

/**
 * @param {Response} response
 * @param {string} text
 * @param {number} ms
 */
function shown(response, text, ms) {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const state = response.ok ? 'done' : 'failed';
  return [
    element('p', { class: state }, `${response.status} ${response.statusText} · ${ms} ms`),
    ...(text === '' ? [] : [element('pre', { tabindex: '0' }, pretty(text))]),
    element('details', {}, element('summary', {}, 'Response headers'), element('pre', {}, headers)),
    ...codeLinks(response, text),
  ];
}

/**
 * @param {Response} response
 * @param {string} text
 */
function codeLinks(response, text) {
  if (response.headers.get('Content-Type') !== 'application/problem+json') return [];
  const { code, title } = JSON.parse(text);
  return [element('p', {}, element('a', { href: `/docs/errors/${code}` }, `${code} ${title}`))];
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Keeps the token and path parameters until the tab is closed: the next operation needs most of them again. */
const remember = (/** @type {HTMLFormElement} */ form) => {
  for (const input of kept(form)) sessionStorage.setItem(`quipu.${input.name}`, input.value);
};
const recall = (/** @type {HTMLFormElement} */ form) => {
  for (const input of kept(form))
    input.value ||= sessionStorage.getItem(`quipu.${input.name}`) ?? '';
};
const kept = (/** @type {HTMLFormElement} */ form) =>
  all('input[name="token"], input[name^="path."]', HTMLInputElement, form);

const split = (/** @type {string} */ name) => {
  const dot = name.indexOf('.');
  return dot === -1 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
};

const TIMEOUT_MS = 60_000;
const STREAM_MS = 5000;
const SHOWN_MAX = 200_000;
