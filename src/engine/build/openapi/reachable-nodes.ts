/** What a set of nodes reaches in the document: everything below them, and below what they refer to. */
import { membersOf } from "../../shared/json-object.ts";
import type { NodePath } from "../diagnostic.ts";
import { type RestDocument, type RestNode, refOf } from "./document.ts";
import type { RestOperation } from "./operation.ts";
import { mappedSchema } from "./shapes/variants.ts";

/** Keywords whose value is data. A `$ref` inside data is not a reference. */
const literalKeywords = new Set(["example", "examples", "default", "enum", "const"]);

/** Whether the keys below `key` are names and no keywords: a response may be named `default` (OpenAPI 3.1 §4.8.16). */
const holdsNames = (key: string | number | undefined): boolean => key === "properties" || key === "responses";

/** A node whose path is put together when somebody asks for it: a large document has a million nodes. */
class Member implements RestNode {
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
  readonly #holder: RestNode;

  constructor(holder: RestNode, key: string, value: unknown) {
    this.file = holder.file;
    this.key = key;
    this.value = value;
    this.#holder = holder;
  }

  get path(): NodePath {
    return [...this.#holder.path, this.key];
  }
}

/** The operation, and what it shares with the other operations of its path. */
export const partsOf = (document: RestDocument, { node, item }: RestOperation): RestNode[] =>
  [node, document.child(item, "parameters")].filter((part) => part !== undefined);

/** Adds each node to `visited`, by its value, and yields it. What is in `visited` before is left out. */
export function* reachedNodes(
  document: RestDocument,
  starts: readonly RestNode[],
  visited: Map<unknown, RestNode>,
): Generator<RestNode> {
  const waiting = [...starts];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (typeof node.value !== "object" || node.value === null || visited.has(node.value)) continue;
    visited.set(node.value, node);
    const target = refOf(node.value) === undefined ? undefined : document.refTarget(node);
    if (target) waiting.push(target);
    for (const { reference } of mappingsOf(node)) {
      const schema = mappedSchema(document, node, reference);
      if (schema) waiting.push(schema);
    }
    const areNames = holdsNames(node instanceof Member ? node.key : node.path.at(-1));
    for (const [key, value] of Object.entries(node.value)) {
      const isNode = typeof value === "object" && value !== null && !visited.has(value);
      if (isNode && (areNames || !literalKeywords.has(key))) waiting.push(new Member(node, key, value));
    }
    yield node;
  }
}

/**
 * The mapping of a discriminator: values and the schemas that they choose, by reference or by bare name (OpenAPI 3.1
 * §4.8.25).
 */
export function mappingsOf({ value }: RestNode): { value: string; reference: string }[] {
  const { mapping } = membersOf(membersOf(value).discriminator);
  return Object.entries(membersOf(mapping)).flatMap(([chosenBy, reference]) =>
    typeof reference === "string" ? [{ value: chosenBy, reference }] : [],
  );
}
