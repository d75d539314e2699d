/**
 * Parses the manifests of client tools into a list of operations: Apollo's persisted query manifest, and the map from ids to
 * texts that graphql-codegen's client preset (`persisted-documents.json`), gql.tada and Relay (`persistConfig.file`) write.
 */
import { getOperationAST, parse } from "graphql";
import { isRecord } from "../json-object.ts";
import { countValues } from "../json-values.ts";
import type { Slices } from "../slices.ts";
import { itemsOf, memberOf } from "./json-items.ts";
import { digestFault, normalizeId } from "./operation-ids.ts";

type ManifestOperation = {
  readonly id: string;
  readonly name: string;
  readonly body: string;
};

/** An operation of a manifest that cannot be served, for example because its text is too long. `name` may be truncated. */
export type RefusedOperation = { readonly app: string; readonly name: string; readonly reason: string };

/** Limits of an operation. Names become metric labels. `textCharacters` is also the default limit of a request's query. */
const ofOperation = { idCharacters: 256, nameCharacters: 128, textCharacters: 100_000 };

/** Limits of a manifest. */
export const ofManifest = { operations: 10_000, bytes: 8_388_608 };

/** Limits of an operation's JSON text, so that parsing it takes at most 2 ms. Client tools write five values per operation. */
const ofJson = { characters: 700_000, values: 1_000 };

/** The content of a manifest. `operations` are served. `refused` are not, each for its `reason`. */
export type ManifestContent = {
  readonly operations: readonly ManifestOperation[];
  readonly refused: readonly Omit<RefusedOperation, "app">[];
};

/** Throws `Error` with the reason if the text is not a manifest or exceeds the limits. */
export async function readManifestText(text: string, slices: Slices): Promise<ManifestContent> {
  await slices.next();
  const operations: ManifestOperation[] = [];
  const refused: { name: string; reason: string }[] = [];
  for await (const { id, name: givenName, body } of await entriesOf(text, slices)) {
    if (slices.isOver) await slices.next();
    if (!isId(id) || typeof body !== "string")
      throw new Error("has an operation without an id or without a text");
    if (operations.length + refused.length === ofManifest.operations) throw tooMany();
    const isTooLong = body.length > ofOperation.textCharacters;
    const name = typeof givenName === "string" ? givenName : isTooLong ? "" : operationNameIn(body);
    const reason = isTooLong
      ? `its text has more than ${ofOperation.textCharacters} characters`
      : (idFault(id) ?? nameFault(name) ?? textFault(body) ?? digestFault(id, body));
    if (reason === undefined) operations.push({ id: normalizeId(id), name, body });
    else refused.push({ name: name.slice(0, ofOperation.nameCharacters), reason });
  }
  return { operations, refused };
}

const tooMany = (): Error => new Error(`has more than ${ofManifest.operations} operations`);
const noManifest = (): Error =>
  new Error("is neither Apollo's persisted query manifest nor a map of ids to operations");

type Entry = { readonly id?: unknown; readonly name?: unknown; readonly body?: unknown };

async function entriesOf(text: string, slices: Slices): Promise<Iterable<Entry> | AsyncIterable<Entry>> {
  const first = text.trimStart().charAt(0);
  if (first !== "{" && first !== "[") JSON.parse(text); // throws an error with the position if the text is not JSON
  if (first !== "{") throw noManifest();
  const members = new Map<string, string>();
  for await (const item of itemsOf(text, slices)) {
    const { name, value } = memberOf(item);
    members.set(name, value);
    if (members.size > ofManifest.operations) throw tooMany();
  }
  const format = members.get("format");
  if (format === undefined) return mapEntries(members);
  const isApollo =
    parsed(format) === "apollo-persisted-query-manifest" && parsed(members.get("version") ?? "0") === 1;
  const operations = members.get("operations") ?? "";
  if (!isApollo || !/^[\t\n\r ]*\[/.test(operations)) throw noManifest();
  return apolloEntries(operations, slices);
}

function* mapEntries(members: ReadonlyMap<string, string>): Iterable<Entry> {
  for (const [id, value] of members) yield { id, name: undefined, body: parsed(value) };
}

async function* apolloEntries(operations: string, slices: Slices): AsyncIterable<Entry> {
  for await (const item of itemsOf(operations, slices)) {
    const entry = parsed(item);
    yield isRecord(entry) ? entry : {};
  }
}

function parsed(text: string): unknown {
  if (text.length > ofJson.characters || countValues(text, ofJson.values) > ofJson.values)
    throw new Error("has an operation that is too large");
  return JSON.parse(text);
}

const isId = (id: unknown): id is string => typeof id === "string" && normalizeId(id) !== "";

const idFault = (id: string): string | undefined =>
  id.length > ofOperation.idCharacters
    ? `its id has more than ${ofOperation.idCharacters} characters`
    : undefined;

/** A name must be empty or a GraphQL name (§2.1.9). */
function nameFault(name: string): string | undefined {
  if (name.length > ofOperation.nameCharacters)
    return `its name has more than ${ofOperation.nameCharacters} characters`;
  return /^(?:[_A-Za-z]\w*)?$/.test(name) ? undefined : "its name is not a GraphQL name";
}

/** All lone surrogates have the same UTF-8 encoding, so texts that differ only in these would share a digest. */
const textFault = (text: string): string | undefined =>
  text.isWellFormed() ? undefined : "its text is not well-formed Unicode";

const beginning = /^(?:[\s,]|#.*\n)*(?:query|mutation|subscription)[\s,]+([_A-Za-z]\w*)/;

/** The name of a document's first operation, or "". In most documents, a regular expression finds the name without parsing. */
export const operationNameIn = (text: string): string => beginning.exec(text)?.[1] ?? parsedName(text);

function parsedName(text: string): string {
  try {
    return getOperationAST(parse(text, { noLocation: true, maxTokens: 100_000 }))?.name?.value ?? "";
  } catch {
    return "";
  }
}
