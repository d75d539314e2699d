/**
 * Counts the values of a JSON text (RFC 8259) before it is parsed, because they decide what parsing costs: a comma or a
 * container's beginning counts as one value. The count costs less than the parsing.
 */

const quote = 0x22;
const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;
const backslash = 0x5c;

/**
 * The commas and beginnings of containers in the text. Those inside of strings do not count. It stops beyond `most`,
 * because more is refused.
 */
export function countValues(text: string, most: number): number {
  let values = 0;
  for (let at = 0; at < text.length && values <= most; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (unit === comma || unit === bracket || unit === brace) values++;
  }
  return values;
}

/**
 * Whether the text has at least so many beginnings of containers. Those inside of strings count too. Containers are what takes
 * much memory: an empty one takes up to 58 bytes. This count is a fifteenth of the other one's cost.
 */
export function hasContainers(text: string, many: number): boolean {
  let left = many;
  for (const begin of ["{", "["])
    for (let at = text.indexOf(begin); at >= 0 && left > 0; at = text.indexOf(begin, at + 1)) left--;
  return left <= 0;
}

/** The place of the quote that ends the string which begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end; // an even number of backslashes are characters of their own
  }
  return text.length;
}
