/**
 * The ids of saved operations. An id that has the form of a digest must be the digest of the operation's text. Otherwise, an app
 * could occupy the id of an operation that another app publishes later.
 */
import { hash } from "node:crypto";
import { parse, print } from "graphql";
import { own } from "../own.ts";

/** The hash algorithms of the digests that client tools use as ids, by the number of hexadecimal digits. */
const algorithms: Readonly<Record<number, string>> = { 32: "md5", 40: "sha1", 64: "sha256" };

/** The prefix of a document id that is a SHA-256 digest (GraphQL over HTTP, appendix A). */
const prefix = /^sha256:/i;
const hexadecimal = /^[0-9a-f]+$/i;

const algorithmOf = (id: string): string | undefined =>
  id.length <= 64 && hexadecimal.test(id) ? algorithms[id.length] : undefined;

/** Normalizes an id: no surrounding white space, no `sha256:` prefix, digests in lower case. */
export function normalizeId(given: string): string {
  const id = given.trim().replace(prefix, "").trim();
  return algorithmOf(id) === undefined ? id : id.toLowerCase();
}

/** Whether the id identifies its text uniquely, unlike MD5 and SHA-1, for which collisions can be constructed. */
export const identifiesText = (id: string): boolean => algorithmOf(id) === "sha256";

/**
 * Why an id in a manifest cannot belong to the text. The digest may be that of the text itself or of the text as printed by
 * graphql-js: gql.tada hashes the printed text, but with `--disable-normalization` writes the original one.
 */
export function digestFault(given: string, text: string): string | undefined {
  const id = normalizeId(given);
  const algorithm = algorithmOf(id);
  const isPrefixed = prefix.test(given.trim());
  if (algorithm === undefined && !isPrefixed) return undefined;
  if (algorithm !== undefined && (algorithm === "sha256" || !isPrefixed)) {
    if (hash(algorithm, text) === id) return undefined;
    const printed = printedText(text);
    if (printed !== undefined && hash(algorithm, printed) === id) return undefined;
  }
  const name = own({ md5: "an MD5", sha1: "a SHA-1" }, algorithm ?? "") ?? "a SHA-256";
  return `its id ${id} has the form of ${name} digest but is not the digest of its text`;
}

function printedText(text: string): string | undefined {
  try {
    return print(parse(text, { noLocation: true, maxTokens: 100_000 }));
  } catch {
    return undefined; // the text has a syntax error, or is nested too deeply
  }
}
