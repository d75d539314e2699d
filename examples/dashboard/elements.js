/** Makes and finds elements. Text is always text, so that no contact's name is ever markup. */

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * @template {HTMLElement} [Type=HTMLElement]
 * @param {string} selector
 */
export const find = (selector) => /** @type {Type} */ (document.querySelector(selector));
