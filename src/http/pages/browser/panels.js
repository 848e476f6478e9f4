import { all, element } from './elements.js';

/** Shows one sample of a panel at a time, in the language that was chosen last, and lets you copy it. */
export function addPanels() {
  const { server = '' } = document.documentElement.dataset;
  const panels = all('.panel', HTMLElement);
  for (const panel of panels) {
    const figures = all('figure', HTMLElement, panel);
    for (const figure of figures) addCopy(figure);
    if (figures.length > 1) panel.prepend(tabsOf(figures));
    for (const code of all('code', HTMLElement, panel)) useServer(code, server);
  }
  show(localStorage.getItem(CHOICE) ?? 'curl');
}

/** @param {HTMLElement[]} figures */
const tabsOf = (figures) =>
  element(
    'div',
    { class: 'tabs', role: 'group', 'aria-label': 'Language' },
    ...figures.map(({ dataset: { sample = '' } }) => {
      const tab = element('button', { type: 'button', 'data-shows': sample }, sample);
      tab.addEventListener('click', () => {
        const { top } = tab.getBoundingClientRect();
        localStorage.setItem(CHOICE, sample);
        show(sample);
        scrollBy(0, tab.getBoundingClientRect().top - top); // The panels above may have changed their height.
      });
      return tab;
    }),
  );

/** @param {string} sample */
function show(sample) {
  for (const panel of all('.panel:has(.tabs)', HTMLElement)) {
    for (const figure of all('figure', HTMLElement, panel)) {
      figure.hidden = figure.dataset['sample'] !== sample;
    }
    for (const tab of all('.tabs button', HTMLElement, panel)) {
      tab.setAttribute('aria-pressed', String(tab.dataset['shows'] === sample));
    }
  }
}

/** @param {HTMLElement} figure */
function addCopy(figure) {
  const code = figure.querySelector('code');
  if (!isSecureContext || code === null) return; // Elsewhere there is no clipboard.
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  figure.append(button);
}

/**
 * Replaces the server of the samples by the one that sent this page.
 *
 * @param {HTMLElement} code
 * @param {string} server
 */
function useServer(code, server) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    if (text.data.includes(server)) text.data = text.data.replace(server, location.origin);
  }
}

const CHOICE = 'quipu.sample';
