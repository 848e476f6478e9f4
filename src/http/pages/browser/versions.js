import { element } from './elements.js';

/** Lets you show the operations of one version only. */
export function addVersionChoice() {
  const nav = document.querySelector('.menu');
  if (nav === null) return;
  const { dataset } = document.documentElement;
  const chosen = localStorage.getItem(CHOICE) ?? '';
  const select = element(
    'select',
    { 'aria-label': 'Version' },
    ...CHOICES.map(([value, text]) => element('option', { value }, text)),
  );
  select.value = chosen;
  dataset['only'] = chosen;
  select.addEventListener('change', () => {
    dataset['only'] = select.value;
    localStorage.setItem(CHOICE, select.value);
  });
  nav.querySelector('ul')?.before(select);

  const showTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null || target.checkVisibility()) return;
    select.value = dataset['only'] = '';
    target.scrollIntoView();
  };
  addEventListener('hashchange', showTarget);
  showTarget();
}

/** @type {[value: string, text: string][]} */
const CHOICES = [
  ['', 'All versions'],
  ['v1', 'Version 1'],
  ['v2', 'Version 2'],
];
const CHOICE = 'quipu.version';
