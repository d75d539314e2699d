/** Text of a spec or a variable where a person reads it: no character of it steers a terminal, a log or an editor. */
import { steering } from "../standards/steering.ts";

/** One line: a line that starts with `::` would be a command to GitHub's runner. */
export const printable = (text: string): string =>
  text.replaceAll(/\s*[\r\n]\s*/g, " ").replace(steering, "\uFFFD");

/** Text of several lines. */
export const printableLines = (text: string): string => text.replace(steering, "\uFFFD");

/** Quotes a word of a command line: the method and path of an operation has a space. */
export const asWord = (name: string): string =>
  /^[\w./@:+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
