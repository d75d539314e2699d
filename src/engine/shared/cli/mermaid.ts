/** Labels of Mermaid graphs. Mermaid writes characters as entities with `#` in place of `&`. */
export const mermaidLabel = (text: string): string =>
  `"${text.replaceAll(/[#&"'<>`\\\n]/g, (each) => `#${each.codePointAt(0)};`)}"`;
