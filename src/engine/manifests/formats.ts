/**
 * The manifests that client tools write, as one list of operations: Apollo's persisted query manifest, and the map of ids
 * to texts that graphql-codegen's client preset (`persisted-documents.json`) and Relay (`persistConfig.file`) write. An id
 * is taken as it is: each tool has a hash of its own.
 */
import { getOperationAST, parse } from "graphql";
import { isRecord } from "../standards/json-object.ts";

export type ManifestOperation = {
  readonly id: string;
  readonly name: string;
  readonly body: string;
};

/** Longer ids are no ids. */
const maxIdLength = 256;

/** Throws `Error` with the reason if the text is no manifest, or has more operations than `most`. */
export function readManifestText(text: string, most: number): ManifestOperation[] {
  const given: unknown = JSON.parse(text);
  const entries = isRecord(given) ? entriesOf(given) : undefined;
  if (!entries)
    throw new Error("is neither Apollo's persisted query manifest nor a map of ids to operations");
  if (entries.length > most) throw new Error(`has more than ${most} operations`);
  return entries.map(({ id, name, body }) => {
    if (typeof id !== "string" || id === "" || id.length > maxIdLength || typeof body !== "string")
      throw new Error("has an operation without an id or without a text");
    return { id, name: typeof name === "string" ? name : operationNameIn(body), body };
  });
}

type Entry = { readonly id?: unknown; readonly name?: unknown; readonly body?: unknown };

function entriesOf(given: Readonly<Record<string, unknown>>): readonly Entry[] | undefined {
  const { format, version, operations } = given;
  if (format === undefined) return Object.entries(given).map(([id, body]) => ({ id, name: undefined, body }));
  if (format !== "apollo-persisted-query-manifest" || version !== 1 || !Array.isArray(operations))
    return undefined;
  return operations.map((entry) => (isRecord(entry) ? entry : {}));
}

const beginning = /^(?:[\s,]|#.*\n)*(?:query|mutation|subscription)[\s,]+([_A-Za-z]\w*)/;

/** The name of a document's first operation; empty if there is none. Most documents begin with their operation. */
export const operationNameIn = (text: string): string => beginning.exec(text)?.[1] ?? parsedName(text);

function parsedName(text: string): string {
  try {
    return getOperationAST(parse(text, { noLocation: true, maxTokens: 100_000 }))?.name?.value ?? "";
  } catch {
    return "";
  }
}
