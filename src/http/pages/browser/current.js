import { all } from './elements.js';

/** Marks in the contents what is being read. The contents are open in wide windows, and close after a choice in others. */
export function showCurrent() {
  const menu = document.querySelector('details.menu');
  if (!(menu instanceof HTMLDetailsElement)) return;
  const wide = matchMedia('(min-width: 64rem)');
  wide.addEventListener('change', () => (menu.open = wide.matches));
  menu.open = wide.matches;
  menu.addEventListener('click', ({ target }) => {
    if (!wide.matches && target instanceof Element && target.closest('a')) menu.open = false;
  });
  menu.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });

  const links = new Map(
    all('a[href^="#"]', HTMLAnchorElement, menu).map((link) => [link.hash.slice(1), link]),
  );
  const observer = new IntersectionObserver(
    (entries) => {
      const read = entries.find(({ isIntersecting }) => isIntersecting);
      if (read === undefined) return;
      for (const [id, link] of links) link.classList.toggle('read', id === read.target.id);
      if (wide.matches) links.get(read.target.id)?.scrollIntoView({ block: 'nearest' });
    },
    { rootMargin: '-20% 0px -75% 0px' },
  );
  for (const section of all('article.operation', HTMLElement)) observer.observe(section);
}
