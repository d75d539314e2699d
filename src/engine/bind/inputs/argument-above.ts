/** Reads `argsAbove.x`: the argument of the nearest field above that has one of this name. */
import { getNullableType, isEnumType, isScalarType } from "graphql";
import { readRest } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import { argumentsAbove } from "../enclosing.ts";
import type { Where } from "../findings.ts";
import { type ArgumentAboveSource, isNullableInput, isNullByDefault } from "./input-source.ts";
import { invalidSource } from "./invalid-source.ts";

/** Returns `undefined` after a finding. */
export function readArgumentAbove(
  binder: Binder,
  path: readonly string[],
  where: Where,
): ArgumentAboveSource | undefined {
  const { schema, findings } = binder;
  const refuse = (why: string): undefined =>
    invalidSource(binder, where, `from "argsAbove.${path.join(".")}": ${why}`);
  const [name = "", ...deeper] = path;
  const [type = ""] = where.coordinate.split(".", 1);
  if (deeper.length > 0) return refuse("an argument above is taken as a whole");
  const { fields, around } = argumentsAbove(schema, type, name);
  const found = fields.map(({ coordinate, field, argument }) => ({
    coordinate: `${coordinate}(${name}:)`,
    argument,
    isOwn: readRest(schema, field)?.connection !== undefined && ["first", "after"].includes(name),
  }));
  const [first] = found;
  if (!first) return refuse(`no field above has an argument "${name}"`);
  if (around) {
    const path = around.join(" → ");
    findings.add(
      "enclosing-missing",
      where,
      `${where.coordinate} takes the argument "${name}" of a field above, but ${path} reaches ${type} without one`,
      `give a field of the path the argument "${name}", or feed the parameter from an object or an argument`,
    );
  }
  const own = found.find(({ isOwn }) => isOwn);
  if (own) return refuse(`${own.coordinate} is the connection's own`);
  const { argument } = first;
  const bare = getNullableType(argument.type);
  const given = `${first.coordinate} is ${argument.type}`;
  if (!isScalarType(bare) && !isEnumType(bare)) return refuse(`${given}, and neither a scalar nor an enum`);
  const other = found.find((each) => getNullableType(each.argument.type) !== bare);
  if (other) return refuse(`${given}, but ${other.coordinate} is ${other.argument.type}`);
  const nullable = found.some((each) => isNullableInput(each.argument));
  const defaults = found.some((each) => isNullByDefault(each.argument)) ? [0] : [];
  return { kind: "argumentAbove", path: [name], nullable, defaults, type: argument.type };
}
