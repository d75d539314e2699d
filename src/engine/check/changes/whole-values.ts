/**
 * A custom scalar is sent as the caller writes it, so its argument rests on every part of REST's schema. The parts are
 * known by their path. Members of a `oneOf` are known by their names; those without a name stand in each other's place.
 */
import type { ValueUse } from "../../bind/model.ts";
import type { RestNode } from "../../openapi/document.ts";
import { type Shape, typeText } from "../../openapi/shapes/shape.ts";
import type { Differing } from "./rest-change.ts";
import { refusals } from "./value-differences.ts";

/** A schema and the node that uses it. */
type Used = { readonly node: RestNode; readonly shape: Shape };

type Part = Used & { readonly holder: string; readonly required: boolean };
type Parts = Map<string, Part[]>;

type Unfit = { readonly found: Differing; readonly was: Used; readonly is: Used };

export function refusedParts(old: ValueUse, now: ValueUse): Unfit[] {
  const [before, after] = [old, now].map((use) => partsOf({ ...use, holder: "", required: true }));
  if (!before || !after) return [];
  const found: Unfit[] = [];
  // a value that has a finding tells of its members
  const told = new Set<string>();
  for (const [path, parts] of before) {
    const others = after.get(path);
    for (const was of parts) {
      const [holder] = after.get(was.holder) ?? [];
      const unfit = others ? fewest(others.map((is) => refusedPart(now, was, is))) : [];
      if (unfit.length > 0) told.add(path);
      found.push(...unfit);
      if (others || !holder || (told.has(was.holder) && path.endsWith(">"))) continue;
      found.push({ found: gone, was, is: holder });
      told.add(was.holder);
    }
  }
  // a property with another name is told by the one that is gone, also where that was one of all members
  const isTold = (holder: string): boolean => told.has(holder) || told.has(holder.replace(/<[^<>]*>$/, ""));
  const added = [...after].flatMap(([path, [is]]) => (is?.required && !before.has(path) ? [is] : []));
  for (const [holder, [is, ...others]] of Map.groupBy(added, (each) => each.holder)) {
    const [was] = before.get(holder) ?? [];
    if (is && was && !isTold(holder)) found.push({ found: demanding([is, ...others]), was, is });
  }
  return oneOfEachList(found);
}

/** What one list of required properties demands is one difference, told at the first of them. */
function oneOfEachList(all: readonly Unfit[]): Unfit[] {
  const listOf = ({ is: { node } }: Unfit): string => JSON.stringify([node.file, node.path.slice(0, -2)]);
  return [...Map.groupBy(all, (each) => (each.found === required ? listOf(each) : each)).values()].flatMap(
    ([first, ...others]) => {
      if (!first || others.length === 0) return first ?? [];
      const names = new Set(others.map(({ is }) => is.node.path.at(-1)));
      names.delete(first.is.node.path.at(-1)); // the same schema at another place of the value
      const also = names.size > 0 ? `, and so are ${[...names].join(", ")}` : "";
      return { ...first, found: { ...required, phrase: `${required.phrase}${also}` } };
    },
  );
}

const gone: Differing = {
  ...{ rule: "rest-property-removed", class: "breaking", phrase: "is gone" },
  ...{ before: "present", after: "absent" },
};
const required: Differing = {
  ...{ rule: "rest-required-changed", class: "breaking", phrase: "is required now" },
  ...{ before: false, after: true },
};

/** The properties are new, so the value that holds them is named. */
const demanding = (added: readonly Part[]): Differing => ({
  ...required,
  phrase: `requires ${added.map(({ node }) => JSON.stringify(node.path.at(-1))).join(" and ")} now`,
});

const refusedPart = ({ type }: ValueUse, was: Part, is: Part): Unfit[] => [
  ...refusals(type, was.shape, is.shape).map((found) => ({ found, was, is })),
  ...(!was.required && is.required ? [{ found: required, was, is }] : []),
];

/** One of the new parts may take all that the old one was. */
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
  for (const { name, node, only, required: isRequired, shape: below } of shape.properties.values())
    if (only !== "response") add(`.${name}`, node, below, isRequired);
  if (shape.items) add("[]", shape.items.node, shape.items);
  return parts;
}
