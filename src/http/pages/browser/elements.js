/**
 * Creates an element. Texts become text nodes, so that nothing in them is markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} content
 */
export function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/**
 * Finds all elements of a kind.
 *
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @param {ParentNode} within
 * @returns {Kind[]}
 */
export const all = (selector, kind, within = document) =>
  [...within.querySelectorAll(selector)].flatMap((found) => (found instanceof kind ? [found] : []));
