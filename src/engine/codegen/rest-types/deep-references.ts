/**
 * References that the bundle cannot keep. What is no component (`#/paths/…`, or a part of a component) becomes a component
 * of its own: the bundle leaves out most paths, and openapi-typescript names such a part wrongly.
 */
import { posix } from "node:path";
import { escapePointer, type RestDocument, type RestNode, refOf } from "../../openapi/document.ts";
import { isRecord } from "../../standards/json-object.ts";

export type DeepReferences = {
  /** The object with the `$ref` → the reference to the component. */
  readonly references: ReadonlyMap<unknown, string>;
  /** The components, by kind and name. */
  readonly components: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
};

export function deepReferences(document: RestDocument, nodes: Iterable<RestNode>): DeepReferences {
  const references = new Map<unknown, string>();
  const components = new Map<string, Map<string, unknown>>();
  const file = document.root.file;
  for (const node of nodes) {
    if (refOf(node.value) === undefined) continue;
    const target = document.followPlain(node);
    if (!target) continue;
    // the bundler follows a chain anew from each of its members, and with recursion
    const isChain = refOf(document.refTarget(node)?.value) !== undefined;
    if (isChain) references.set(node.value, referenceTo(target, node));
    if (node.file !== file || target.file !== file || isComponent(target)) continue;
    const kind = kindOf(target);
    const name = target.path.join(".").replaceAll(/[^\w.-]+/g, "-");
    const group = components.get(kind) ?? new Map<string, unknown>();
    components.set(kind, group.set(name, target.value));
    references.set(node.value, `#/components/${kind}/${name}`);
  }
  return { references, components };
}

/** A reference (RFC 3986, RFC 6901) from one node to another. */
function referenceTo({ file, path }: RestNode, from: RestNode): string {
  const name = file === from.file ? "" : posix.relative(posix.dirname(from.file), file);
  const steps = path.map((step) => `/${encodeURIComponent(escapePointer(String(step)))}`);
  return `${encodeURI(name)}#${steps.join("")}`;
}

const isComponent = ({ path }: RestNode): boolean => path[0] === "components" && path.length === 3;

/** The kind of component that the object would be (OpenAPI 3.1 §4.8.7). */
function kindOf({ path, value }: RestNode): string {
  if (isRecord(value) && typeof value.in === "string" && typeof value.name === "string") return "parameters";
  if (path.at(-1) === "requestBody") return "requestBodies";
  const holder = String(path.at(-2));
  return ["responses", "headers", "examples"].includes(holder) ? holder : "schemas";
}
