/**
 * Creates the `spec/` of a new project: a GraphQL schema with a field for each chosen operation, and `rest-only.yaml` with all
 * other operations. An operation that cannot be bound is listed with the reason.
 */
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { stringify } from "yaml";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { didYouMean } from "../../shared/cli/nearest-suggestion.ts";
import { quoteArgument } from "../../shared/cli/printable.ts";
import { isSafeMethod } from "../../shared/operation.ts";
import { bindSdl } from "../bind/bind.ts";
import type { Model } from "../bind/model.ts";
import type { RestDocument } from "../openapi/document.ts";
import type { RestOperation } from "../openapi/operation.ts";
import { isOperationPattern, operationsOf } from "../openapi/operation-pattern.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { nestedTagsOf, tagsOf } from "../openapi/tags.ts";
import { modelWithoutFields } from "../propose/empty-schema.ts";
import { type KeyLinks, keyLinks } from "../propose/key-links.ts";
import { Links } from "../propose/links.ts";
import { unproposableReason } from "../propose/propose.ts";
import { splitWords } from "../schema/graphql-names.ts";
import { isReadOperation, proposeBindable } from "./bindable-operations.ts";
import { type ExampleRequest, exampleRequest } from "./example-request.ts";
import { withUnionComments } from "./union-comments.ts";

export type Choice = {
  readonly tag: readonly string[];
  readonly operation: readonly string[];
  /** POSTs that only read. */
  readonly query: readonly string[];
};

export type InitOptions = Partial<Choice> & {
  readonly openapi: string;
  readonly name?: string;
  /** JSON pointers of the overlay's changes that the user confirms. */
  readonly confirm?: readonly string[];
};

export type StartedProject = {
  readonly schema: string;
  readonly ledger: string;
  /** The operations that have a field. */
  readonly bound: readonly RestOperation[];
  /** The number of operations without a field. */
  readonly unbound: number;
  /** The reason for each chosen operation that cannot be bound. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Bound operations that could be fields of a type: their path extends the path of an operation that returns the type. */
  readonly links: readonly string[];
  readonly example: ExampleRequest | undefined;
  /** The number of links that keys such as `authorId` suggest: as fields, and as comments in the schema. */
  readonly keyLinks: Pick<KeyLinks, "fields" | "comments">;
};

/** Without --tag or --operation, `init` creates fields for at most this many operations. */
const mostUnchosen = 60;
const mostReasons = 10;

/** Throws `UsageError` if the user chose no operation, too many operations, or no operation that reads. */
export function startProject(document: RestDocument, choice: Choice): StartedProject {
  const model = modelWithoutFields({ document, operations: readOperations(document) });
  const chosen = chosenOperations(model, choice);
  const leftOut = new Map<string, string>();
  const sendable = chosen.filter((operation) => {
    const refusal = unproposableReason(operation) ?? unsentBody(operation);
    if (refusal !== undefined) leftOut.set(operation.id, refusal);
    return refusal === undefined;
  });
  const read = { model, reads: readingPosts(model, choice) };
  const { operations: bound, sdl, model: started } = proposeBindable(read, sendable, leftOut);
  if (!bound.some((each) => isReadOperation(read, each)))
    throw new UsageError(withoutQuery(model, bound, leftOut));
  const chosenOnes = new Set(bound);
  const rest = [...model.operations.values()].filter((operation) => !chosenOnes.has(operation));
  const found = keyLinks(model, { sdl, bound: started });
  const whole = [sdl, found.sdl].filter((part) => part !== "").join("\n\n");
  // a link by path can break when fields from `keyLinks` make objects reachable from more types
  const linked = found.fields > 0 ? bindSdl(model, whole).model : started;
  const links = linked && new Links(linked);
  return {
    schema: `${linked ? withUnionComments(whole, linked.schema) : whole}\n`,
    ledger: ledgerOf(rest, bound, leftOut),
    bound,
    unbound: rest.length,
    leftOut,
    example: linked && exampleRequest(linked),
    links: bound.flatMap((each) => (links?.of(each) ? [each.id] : [])),
    keyLinks: found,
  };
}

/**
 * Returns the reason why an operation with an unsupported body, such as an upload, gets no field. For such a field, `check` would
 * report that the call lacks the body.
 */
const unsentBody = (operation: RestOperation): string | undefined =>
  operation.unsentBody &&
  `it takes a body of ${operation.unsentBody.media.join(" or ")}, which no field can send`;

function withoutQuery(
  { operations }: Model,
  bound: readonly RestOperation[],
  leftOut: ReadonlyMap<string, string>,
): string[] {
  if (operations.size === 0) return ["the document has no operations"];
  const posts = bound
    .filter(({ method }) => method === "post")
    .toSorted((one, other) => Number(isNamedLikeRead(other)) - Number(isNamedLikeRead(one)))
    .map(({ id }) => `  --query ${quoteArgument(id)}`);
  const mayRead = [...operations.values()].some(
    (each) => each.method === "post" || isSafeMethod(each.method.toUpperCase()),
  );
  return [
    mayRead
      ? "choose an operation that reads: a GraphQL schema needs a Query"
      : "the document has no operation that reads: a GraphQL schema needs a Query",
    ...(posts.length > 0 ? ["none of these is a GET: name the POSTs that only read"] : []),
    ...posts.slice(0, mostReasons),
    ...(posts.length > mostReasons
      ? [`  and ${posts.length - mostReasons} more; a pattern such as --query '/*.list' names several`]
      : []),
    ...[...leftOut].slice(0, mostReasons).map(([id, reason]) => `left out: ${id}: ${reason}`),
  ];
}

const readWords = new Set(
  "count fetch find get info list lookup query read retrieve search show view".split(" "),
);

/**
 * Whether a word of the operation suggests that it reads, as in `/users.list`. Looks at the last word of the path, and at the
 * first and the last word of the `operationId`.
 */
function isNamedLikeRead(operation: RestOperation): boolean {
  const wordsOf = (text: string): string[] =>
    splitWords(text.replaceAll(/([a-z])(?=[A-Z])/g, "$1 ")).map((word) => word.toLowerCase());
  const id = wordsOf(operation.id);
  const path = wordsOf(operation.path);
  return [id[0], id.at(-1), path.at(-1)].some((word) => readWords.has(word ?? ""));
}

function readingPosts({ operations }: Model, { query }: Choice): Set<string> {
  const found = query.flatMap((name) => {
    const posts = operationsNamed(operations, "--query", name).filter(({ method }) => method === "post");
    if (posts.length > 0) return posts;
    throw new UsageError([`--query ${name}: is not a POST; a GET gets a Query field anyway`]);
  });
  return new Set(found.map(({ id }) => id));
}

function operationsNamed(operations: Model["operations"], option: string, name: string): RestOperation[] {
  const found = operationsOf(operations, name);
  if (found.length > 0) return found;
  const paths = nearPaths(operations, name);
  const near = isOperationPattern(name) || paths.length > 0 ? "" : didYouMean(name, operations.keys());
  throw new UsageError([
    `${option} ${name}: there is no such operation${near}`,
    ...paths.slice(0, mostReasons).map((path) => `  ${option} ${quoteArgument(path)}`),
    ...(paths.length > mostReasons ? [`  and ${paths.length - mostReasons} more paths`] : []),
  ]);
}

/** Returns the paths that share the longest prefix with `name`, if `name` is a path or a path pattern. */
function nearPaths(operations: Model["operations"], name: string): string[] {
  const [, path] = /^(?:\w+ )?(\/[^*]*)/.exec(name) ?? [];
  if (path === undefined) return [];
  const all = [...new Set([...operations.values()].map((each) => each.path))];
  const steps = path.split("/");
  for (let length = steps.length; length > 1; length--) {
    const begin = steps.slice(0, length).join("/");
    const found = begin.length > 1 ? all.filter((each) => each.startsWith(begin)) : [];
    if (found.length > 0) return found;
  }
  return suggestionList(path, all);
}

function chosenOperations({ operations }: Model, { tag, operation, query }: Choice): RestOperation[] {
  const all = [...operations.values()];
  const tags = new Map<string, number>();
  for (const name of all.flatMap(tagsOf)) tags.set(name, (tags.get(name) ?? 0) + 1);
  for (const name of tag)
    if (!tags.has(name))
      throw new UsageError([`--tag ${name}: there is no such tag${didYouMean(name, tags.keys())}`]);
  const named = new Set([
    ...operation.flatMap((name) => operationsNamed(operations, "--operation", name)),
    ...query.flatMap((name) => operationsNamed(operations, "--query", name)),
  ]);
  const isChosen = tag.length + operation.length > 0;
  if (all.length <= mostUnchosen && !isChosen) return all;
  if (isChosen || query.length > 0)
    return all.filter((each) => named.has(each) || tag.some((name) => nestedTagsOf(each).has(name)));
  const isByTag = [...tags.values()].some((count) => count < all.length);
  const choices = (isByTag ? [...tags] : pathPatterns(operations)).toSorted(([one], [other]) =>
    one.localeCompare(other, "en", { numeric: true }),
  );
  const option = isByTag ? "--tag" : "--operation";
  throw new UsageError([
    `the document has ${all.length} operations${tags.size > 0 ? "" : " and no tags"}: choose some with --tag or --operation`,
    ...choices.map(([name, count]) => `${String(count).padStart(6)}  ${option} ${quoteArgument(name)}`),
    `${String(all.length).padStart(6)}  --operation '/*'`,
  ]);
}

/**
 * Groups the paths by their segments up to the first segment that differs. Returns a pattern for each group, and
 * the number of operations that the pattern matches.
 */
function pathPatterns(operations: Model["operations"]): (readonly [string, number])[] {
  const paths = [...operations.values()].map(({ path }) => path.split("/"));
  const [first = []] = paths;
  const differing = first.findIndex((step, index) => paths.some((path) => path[index] !== step));
  const patterns = new Set(paths.map((path) => `${path.slice(0, differing + 1).join("/")}*`));
  return [...patterns].map((pattern) => [pattern, operationsOf(operations, pattern).length] as const);
}

const ledgerHead = `# REST operations that have no GraphQL field on purpose: operationId → reason. An operation that is neither bound in
# schema.graphql nor listed here is a finding of \`npm run check\`. A key may be a pattern: tag:billing, /v2/admin/*, delete*.
`;

/** The text of `rest-only.yaml`: an entry for each tag without a field, and one for each remaining operation. */
function ledgerOf(
  rest: readonly RestOperation[],
  bound: readonly RestOperation[],
  leftOut: ReadonlyMap<string, string>,
): string {
  const reason = "not chosen when the project was started";
  const taken = new Set(bound.flatMap(tagsOf));
  const free = new Set(
    rest
      .filter(({ id }) => !leftOut.has(id))
      .flatMap(tagsOf)
      .filter((tag) => !taken.has(tag)),
  );
  const single = rest.filter(
    (operation) => leftOut.has(operation.id) || !tagsOf(operation).some((tag) => free.has(tag)),
  );
  const entries = [
    ...[...free].map((tag) => [`tag:${tag}`, reason] as const),
    ...single.map(({ id }) => [id, leftOut.get(id) ?? reason] as const),
  ];
  const lines = entries.length === 0 ? "" : stringify(Object.fromEntries(entries), { lineWidth: 0 });
  return `${ledgerHead}${lines}`;
}
