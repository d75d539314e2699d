/**
 * The ids of saved operations. An id that has the form of a digest must be the digest of its text, so that no app can claim
 * the id of another app's operation before that app publishes it.
 */
import { hash } from "node:crypto";
import { parse, print } from "graphql";
import { own } from "../own.ts";

/** The digests that client tools write, by their number of hexadecimal digits. */
const algorithms: Readonly<Record<number, string>> = { 32: "md5", 40: "sha1", 64: "sha256" };

/** GraphQL over HTTP, appendix A: a document id with this prefix is a SHA-256 digest. */
const prefix = /^sha256:/i;
const hexadecimal = /^[0-9a-f]+$/i;

const algorithmOf = (id: string): string | undefined =>
  id.length <= 64 && hexadecimal.test(id) ? algorithms[id.length] : undefined;

/** One id for all its spellings: without the white space around it and without `sha256:`; digests in lower case. */
export function normalizeId(given: string): string {
  const id = given.trim().replace(prefix, "").trim();
  return algorithmOf(id) === undefined ? id : id.toLowerCase();
}

/** Whether two texts of one such id are the same operation. For MD5 and SHA-1, two texts can be made that share a digest. */
export const identifiesText = (id: string): boolean => algorithmOf(id) === "sha256";

/**
 * Why the id, as a manifest has it, cannot be that of the text. Digests are those of the text itself, or of the text as
 * graphql-js prints it: gql.tada prints a text before it computes the digest, and with `--disable-normalization` writes it as it was.
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
  return `its id ${id} has the form of ${name} digest and is not that of its text`;
}

function printedText(text: string): string | undefined {
  try {
    return print(parse(text, { noLocation: true, maxTokens: 100_000 }));
  } catch {
    return undefined; // no document, or nested too deeply
  }
}
