/** Follows a property path, such as `data.items`, in the schema of a REST response. */

import type { NodePath } from "../diagnostic.ts";
import {
  declaredNames,
  declaredProperty,
  describeShape,
  isOnly,
  type Property,
  type Shape,
} from "../openapi/shapes/shape.ts";
import { normalizeName } from "../schema/graphql-names.ts";
import type { Findings, FindingTarget } from "./findings.ts";

type ResponsePath = {
  readonly object: Shape;
  /** The object's name in messages. */
  readonly owner: string;
  readonly path: readonly string[];
};

/** Rule and advice of the finding that reports a missing property. */
type Missing = {
  readonly rule: "property-missing" | "result-missing";
  readonly hint: string;
  /** The text after the property's name in messages. */
  readonly aside?: string;
};

/** Maximum number of properties that a message lists if none has a similar name. */
const mostListed = 12;
const mostInEnvelope = 3;

/** Returns `; it has a, b and others`. Reads at most `mostListed` properties, because schemas may be large. */
function itHas({ properties }: Shape): string {
  const names: string[] = [];
  for (const { name, isUndeclared, only } of properties.values()) {
    if (isUndeclared || only === "request") continue;
    if (names.length === mostListed) return `; it has ${names.join(", ")} and others`;
    names.push(name);
  }
  return names.length === 0 ? "" : `; it has ${names.join(", ")}`;
}

/** Returns `; did you mean "data.name"?` if the object has few properties, one of which contains `wanted`. */
function inEnvelope({ properties }: Shape, wanted: string): string {
  if (properties.size > mostInEnvelope) return "";
  for (const { name, shape } of properties.values()) {
    const inside = declaredNames(shape).find((each) => normalizeName(each) === normalizeName(wanted));
    if (inside !== undefined) return `; did you mean "${name}.${inside}"?`;
  }
  return "";
}

/** Returns the properties along the path; `undefined` after reporting a path that does not exist. */
export function resolveResponsePath(
  findings: Findings,
  where: FindingTarget,
  { object, owner, path }: ResponsePath,
  { rule, hint, aside = "" }: Missing,
): readonly Property[] | undefined {
  const found: Property[] = [];
  let { node } = object;
  const refuse = (message: string, advice = hint, below: NodePath = []): undefined =>
    void findings.add(rule, { ...where, rest: node, below }, message, advice);
  for (const [index, name] of path.entries()) {
    const holder = found.at(-1)?.shape ?? object;
    const who = index === 0 ? owner : `"${path.slice(0, index).join(".")}" of ${owner}`;
    if (!isOnly(holder, "object") && index > 0)
      return refuse(
        `${where.coordinate} reads "${name}"${aside} of ${who}, but REST sends ${describeShape(holder)}`,
        "read deeper only through objects",
      );
    node = holder.node;
    const property = declaredProperty(holder, name);
    if (!property) {
      const { members = [] } = holder;
      const having = members.filter((member) => declaredProperty(member, name)).length;
      // an object type that is bound to a `oneOf` can read only the properties that all members share
      if (having > 0)
        return refuse(
          `${who} is one of ${members.length} schemas, and only ${having} of them ${having === 1 ? "has" : "have"} the property "${name}"${aside}`,
          "read what all of them have, or write a union with a type for each",
        );
      const near =
        inEnvelope(holder, name) || findings.didYouMean(name, () => declaredNames(holder)) || itHas(holder);
      // `properties` is part of the path, so that the finding points at an overlay action that removed the property
      return refuse(`${who} has no property "${name}"${aside}${near}`, hint, ["properties", name]);
    }
    node = property.node;
    if (property.only === "request")
      return refuse(`REST never sends the property "${name}"${aside}: it is writeOnly`);
    found.push(property);
  }
  return found;
}
