/** Names the component schemas in generated types. */
import { membersOf } from "../../shared/json-object.ts";
import { nodeKey, type RestDocument, type RootNode } from "./document.ts";
import type { Shape } from "./shapes/shape.ts";

/** Returns the name of the component that the shape was read from; `undefined` if its schema is not a component. */
export function componentName(document: RestDocument, { node, identity }: Shape): string | undefined {
  const [components, schemas, name, ...below] = node.path;
  const isNamed = components === "components" && schemas === "schemas" && below.length === 0;
  if (!isNamed || name === undefined || identity.text !== nodeKey(node)) return undefined;
  const root = document.rootAt(node);
  return root && nameIn(document, root, String(name));
}

export const componentNames = (document: RestDocument): string[] =>
  document.roots.flatMap((root) => Object.keys(schemasOf(root)).map((name) => nameIn(document, root, name)));

/**
 * Adds the document's name (`shop.Thing`) if the component's name alone is ambiguous: another document declares the same name, or
 * the name itself begins with a document's name and a dot.
 */
function nameIn({ roots }: RestDocument, root: RootNode, name: string): string {
  const clashes = roots.some(
    (each) => (each !== root && Object.hasOwn(schemasOf(each), name)) || name.startsWith(`${each.name}.`),
  );
  return root.name !== undefined && clashes ? `${root.name}.${name}` : name;
}

const schemasOf = ({ value }: RootNode) => membersOf(membersOf(membersOf(value).components).schemas);
