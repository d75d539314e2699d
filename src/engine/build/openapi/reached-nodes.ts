/** Finds the nodes that are reachable from a node: everything below it, and below the targets of its references. */
import { membersOf } from "../../shared/json-object.ts";
import type { NodePath } from "../diagnostic.ts";
import { type RestDocument, type RestNode, refOf } from "./document.ts";
import { mappedSchema } from "./shapes/variants.ts";

/** Keywords that contain data: a `$ref` below them is not a reference. */
const literalKeywords = new Set(["example", "examples", "default", "enum", "const"]);

/** Whether the keys of the object at `key` are names, such as the response `default`, and not keywords (OpenAPI 3.1 §4.8.16). */
const holdsNames = (key: string | number | undefined): boolean => key === "properties" || key === "responses";

/** A node that computes its path lazily, because a large document has a million nodes. */
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

/** Yields each reachable node that is not in `visited`, and adds it there. */
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

/** Returns the schema references in a discriminator's `mapping` and `defaultMapping` (OpenAPI 3.2, Discriminator Object). */
export function mappingsOf({ value }: RestNode): { below: string[]; reference: string }[] {
  const { mapping, defaultMapping } = membersOf(membersOf(value).discriminator);
  const all = Object.entries(membersOf(mapping)).map(([chosenBy, reference]) => ({
    below: ["mapping", chosenBy],
    reference,
  }));
  return [...all, { below: ["defaultMapping"], reference: defaultMapping }].flatMap(({ below, reference }) =>
    typeof reference === "string" ? [{ below, reference }] : [],
  );
}
