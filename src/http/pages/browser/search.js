import { element } from './elements.js';

/** @typedef {[kind: string, title: string, detail: string, href: string, words?: string]} Entry */

/** Adds the search for operations, members, errors and guides; `/` and Ctrl+K lead to it. */
export function addSearch() {
  const place = document.getElementById('search');
  if (place === null) return;
  const input = element('input', {
    ...{ type: 'search', placeholder: 'Search', autocomplete: 'off', spellcheck: 'false' },
    ...{ role: 'combobox', 'aria-label': 'Search the reference', 'aria-controls': 'found' },
    ...{ 'aria-expanded': 'false', 'aria-autocomplete': 'list' },
  });
  const list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Results' });
  list.hidden = true;
  place.append(input, element('kbd', { 'aria-hidden': 'true' }, '/'), list);

  /** @type {Promise<Entry[]> | undefined} */
  let loading;
  let chosen = 0;
  const choose = (/** @type {number} */ n) => {
    const options = [...list.children];
    chosen = Math.max(0, Math.min(n, options.length - 1));
    options.forEach((one, at) => one.setAttribute('aria-selected', String(at === chosen)));
    options[chosen]?.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', options[chosen]?.id ?? '');
  };
  const show = (/** @type {boolean} */ open) => {
    list.hidden = !open;
    input.setAttribute('aria-expanded', String(open));
  };
  const search = async () => {
    loading ??= fetch('/docs/search.json').then((response) => response.json());
    const entries = await loading.catch(() => {
      loading = undefined; // The next character asks again.
      return [];
    });
    const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = terms.length === 0 ? [] : best(entries, terms);
    list.replaceChildren(...found.map(option));
    if (terms.length > 0 && found.length === 0) {
      list.append(element('li', { class: 'none' }, 'Nothing found'));
    }
    show(terms.length > 0);
    choose(0);
  };

  input.addEventListener('focus', () => void search());
  input.addEventListener('input', () => void search());
  input.addEventListener('blur', () => show(false));
  list.addEventListener('mousedown', (event) => event.preventDefault()); // The input keeps the focus until the click.
  list.addEventListener('click', () => input.blur());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') list.children[chosen]?.querySelector('a')?.click();
    else if (event.key === 'Escape') input.blur();
    else return;
    event.preventDefault();
  });
  addEventListener('keydown', (event) => {
    const writes =
      event.target instanceof Element && event.target.matches('input, textarea, select');
    const asked =
      event.key === '/' ? !writes : event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!asked) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/**
 * @param {Entry} entry
 * @param {number} n
 */
const option = ([kind, title, detail, href], n) =>
  element(
    'li',
    { role: 'option', id: `found-${n}` },
    element(
      'a',
      { href, tabindex: '-1' },
      element('span', { class: `kind ${kind.toLowerCase()}` }, kind),
      element('strong', {}, title),
      element('span', { class: 'soft' }, detail),
    ),
  );

/**
 * Returns the entries that have every term, best first.
 *
 * @param {Entry[]} entries
 * @param {string[]} terms
 */
function best(entries, terms) {
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN_MAX)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {string[]} terms
 */
function scoreOf([kind, title, detail, , words = ''], terms) {
  let score = 1 / title.length; // Of equally good ones, the shorter title.
  for (const term of terms) {
    const found =
      placeOf(term, title) * 10 || placeOf(term, detail) * 4 || placeOf(term, words) * 2 || placeOf(term, kind); // prettier-ignore
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

/**
 * Returns how well a text has a term: 4 if it is the term, 3 if it begins with it, 2 if a word does, 1 if it contains it.
 *
 * @param {string} term
 * @param {string} text
 */
function placeOf(term, text) {
  const lower = text.toLowerCase();
  const at = lower.indexOf(term);
  if (at === -1) return 0;
  if (lower === term) return 4;
  if (at === 0) return 3;
  return /\W/.test(lower[at - 1] ?? '') ? 2 : 1;
}

const SHOWN_MAX = 40;
