/** Converts REST names to GraphQL names (GraphQL §2.1.9). */

/** Splits a name into words. `+1` and `-1` become `plus 1` and `minus 1`, so that their GraphQL names differ. */
export const splitWords = (text: string): string[] =>
  text
    .replace(/^\+(?=\d)/, "plus ")
    .replace(/^-(?=\d)/, "minus ")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");

/** Normalizes a name for comparisons that ignore case and punctuation. */
export const normalizeName = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();

/** Whether the name ends with the word `id` or `ids`, as in `id`, `userId` and `user_ids`. */
export const isIdName = (name: string): boolean => /(?:^|_)ids?$|(?:Id|ID)s?$/.test(name);

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** Converts the first word to lower case. A leading acronym is one word: for example, `SSHKeys` becomes `sshKeys`. */
const lowerFirst = (text: string): string =>
  text.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (front) => front.toLowerCase());

/** `book_page` → `BookPage` */
export const typeName = (text: string): string => safe(splitWords(text).map(upperFirst).join(""));

/** `created_at` → `createdAt` */
export const fieldName = (text: string): string => lowerFirst(typeName(text));

/** `bookAuthor_id` → `book`, `Author`, `id` */
export const splitCamelCase = (text: string): string[] =>
  splitWords(text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2"));

/** `new-book` → `NEW_BOOK` */
export function enumValueName(text: string): string {
  const name = splitCamelCase(text).join("_").toUpperCase();
  return ["TRUE", "FALSE", "NULL"].includes(name) ? `${name}_` : safe(name);
}

const safe = (name: string): string => (/^[A-Za-z_]/.test(name) ? name : `_${name}`);

/** Whether `rest` equals `name`, or is the only one of `names` that converts to it. */
const isImplied = (name: string, rest: string, names: Iterable<string>, convert: typeof fieldName): boolean =>
  name === rest ||
  (convert(rest) === name &&
    [...names].every((each) => each === rest || (each !== name && convert(each) !== name)));

/** Prints `@restName` for a field or argument, or an empty string if the naming convention implies it. */
export function restNameDirective(
  name: string,
  rest: string,
  names: Iterable<string>,
  location?: string,
): string {
  const given = [
    ...(isImplied(name, rest, names, fieldName) ? [] : [`name: ${JSON.stringify(rest)}`]),
    ...(location ? [`in: ${location.toUpperCase()}`] : []),
  ];
  return given.length === 0 ? "" : ` @restName(${given.join(", ")})`;
}

/** Prints the enum value for a REST value: `NEW_LEAD`, or `NEW_LEAD @restName(name: "newLead")` if REST also has `new-lead`. */
export const enumValueDefinition = (
  value: string,
  values: Iterable<unknown> = [],
  name = enumValueName(value),
): string =>
  isImplied(name, value, [...values].map(String), enumValueName)
    ? name
    : `${name} @restName(name: ${JSON.stringify(value)})`;
