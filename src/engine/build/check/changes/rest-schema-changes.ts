/**
 * Finds breaking changes in the REST schema of an argument with a custom scalar type. Clients may send any value that the schema
 * allows, so each part of the schema matters: properties, list items and union members. Compares parts of the old and the new
 * schema that have the same path. In a path, a union member is identified by its name, or by its type if it has no name.
 */
import { isDeepStrictEqual } from "node:util";
import type { ValueUse } from "../../bind/model.ts";
import type { RestNode } from "../../openapi/document.ts";
import { type Shape, typeText } from "../../openapi/shapes/shape.ts";
import { type Differing, differing } from "./change.ts";
import { rejectedValues } from "./classify-value-change.ts";

/** A schema, and the node that uses it. */
type Used = { readonly node: RestNode; readonly shape: Shape };

type Part = Used & { readonly holder: string; readonly required: boolean };
type Parts = Map<string, Part[]>;

type Unfit = { readonly found: Differing; readonly was: Used; readonly is: Used };

export function rejectedParts(old: ValueUse, now: ValueUse): Unfit[] {
  const before = partsOf({ ...old, holder: "", required: true });
  const after = partsOf({ ...now, holder: "", required: true });
  const found: Unfit[] = [];
  // paths with a reported difference; removed union members and added required properties of these values are not reported
  const covered = new Set<string>();
  // paths to skip, with everything below them: removed union members, values that became scalars, and a union's own properties,
  // because its members are compared instead
  const passed: string[] = [];
  const isPassed = (path: string): boolean =>
    passed.some((each) => path.startsWith(each) && /^(?:[.[<]|$)/.test(path.slice(each.length)));
  const unions = unionsOf(before);
  const unionsNow = unionsOf(after);
  for (const [path, parts] of before) {
    const [first] = parts;
    if (!first || isPassed(path)) continue;
    const isMember = path.endsWith(">");
    if (path !== "" && !isMember && unions?.has(first.holder) && unionsNow?.has(first.holder)) {
      passed.push(path);
      continue;
    }
    const others = after.get(path) ?? [];
    const unfit =
      others.length > 0 ? parts.flatMap((was) => fewest(others.map((is) => refusedPart(now, was, is)))) : [];
    if (unfit.length > 0) covered.add(path);
    if (unfit.some(hasNoParts)) passed.push(path);
    found.push(...unfit);
    const [holder] = after.get(first.holder) ?? [];
    if (parts.length <= others.length || !holder || (covered.has(first.holder) && isMember)) continue;
    found.push({ found: isMember ? fewerMembers : gone, was: oneWithout(parts, others), is: holder });
    covered.add(first.holder);
    if (isMember) passed.push(path);
  }
  // required properties that were added, except in an object that lost a property, because that property was probably renamed
  const added = [...after].flatMap(([path, [is]]) =>
    is?.required && !before.has(path) && !isPassed(path) ? [is] : [],
  );
  for (const [holder, [is, ...others]] of Map.groupBy(added, (each) => each.holder)) {
    const [was] = before.get(holder) ?? [];
    if (is && was && !covered.has(holder)) found.push({ found: demanding([is, ...others]), was, is });
  }
  return oneOfEachList(found);
}

/** Whether the value became a scalar, so that the type change covers its removed parts. */
const hasNoParts = ({ found: { rule }, is: { shape } }: Unfit): boolean =>
  rule === "rest-type-changed" && ![...shape.types].some((type) => type === "object" || type === "array");

const unionsOf = (parts: Parts): Set<string> =>
  new Set([...parts].flatMap(([path, [first]]) => (first && path.endsWith(">") ? [first.holder] : [])));

/** Returns the first part whose schema differs from the schemas of all `others`. */
const oneWithout = (parts: readonly Part[], others: readonly Part[]): Part =>
  parts.find(
    ({ shape }) => !others.some((other) => isDeepStrictEqual(shape.node.value, other.shape.node.value)),
  ) ?? (parts[0] as Part);

/** Merges all newly required properties of an object into one difference. Does the same for its removed properties. */
function oneOfEachList(all: readonly Unfit[]): Unfit[] {
  const nodeOf = ({ found, was, is }: Unfit): RestNode => (found === required ? is : was).node;
  const listOf = (each: Unfit): unknown =>
    each.found === required || each.found === gone
      ? JSON.stringify([each.found.rule, nodeOf(each).file, nodeOf(each).path.slice(0, -2)])
      : each;
  return [...Map.groupBy(all, listOf).values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first ?? [];
    const names = new Set(others.map((each) => nodeOf(each).path.at(-1)));
    names.delete(nodeOf(first).path.at(-1)); // the same property may occur on several paths
    const also = names.size > 0 ? `, and so ${names.size > 1 ? "are" : "is"} ${[...names].join(", ")}` : "";
    return { ...first, found: { ...first.found, phrase: `${first.found.phrase}${also}` } };
  });
}

const gone = differing("rest-property-removed", "is gone", { before: "present", after: "absent" });
const fewerMembers: Differing = { ...gone, phrase: "has one alternative less now" };
const required = differing("rest-required-changed", "is required now", { before: false, after: true });

const demanding = (added: readonly Part[]): Differing => ({
  ...required,
  phrase: `requires ${added.map(({ node }) => JSON.stringify(node.path.at(-1))).join(" and ")} now`,
});

const refusedPart = ({ type }: ValueUse, was: Part, is: Part): Unfit[] => [
  ...rejectedValues(type, was.shape, is.shape).map((found) => ({ found, was, is })),
  ...(!was.required && is.required ? [{ found: required, was, is }] : []),
];

/** Returns the candidate with the fewest differences, because one new part that accepts the old values is enough. */
const fewest = (all: readonly Unfit[][]): Unfit[] =>
  all.toSorted((one, other) => one.length - other.length)[0] ?? [];

function partsOf(whole: Part, path = "", enclosing: readonly string[] = [], parts: Parts = new Map()): Parts {
  const { shape } = whole;
  parts.set(path, [...(parts.get(path) ?? []), whole]);
  if (enclosing.includes(shape.identity.text)) return parts;
  const inside = [...enclosing, shape.identity.text];
  const add = (step: string, node: RestNode, below: Shape, isRequired = false): void => {
    partsOf({ node, shape: below, required: isRequired, holder: path }, path + step, inside, parts);
  };
  const members =
    shape.variants?.members ??
    shape.members?.map((each) => ({ shape: each, node: each.node, name: undefined })) ??
    [];
  for (const { node, name, shape: member } of members) add(`<${name ?? typeText(member)}>`, node, member);
  for (const {
    name,
    node,
    only,
    required: isRequired,
    isUndeclared,
    shape: below,
  } of shape.properties.values())
    if (only !== "response" && !isUndeclared) add(`.${name}`, node, below, isRequired);
  if (shape.items) add("[]", shape.items.node, shape.items);
  return parts;
}
