/**
 * Parses a source (`args.x`, `parent.x`, `Type.x` or `argsAbove.x`), and looks up its path in the arguments or in a REST object.
 */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isScalarType,
} from "graphql";
import { declaredProperty } from "../../openapi/shapes/shape.ts";
import { readRest } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import { argumentsAbove, isEnclosingType } from "../enclosing-types.ts";
import type { FieldContext } from "../field-context.ts";
import type { FindingTarget } from "../findings.ts";
import { resolveResponsePath } from "../resolve-response-path.ts";
import {
  type ArgumentAboveSource,
  type ArgumentSource,
  argumentSource,
  type InputSource,
  isNullableInput,
  isNullByDefault,
  type ParentSource,
} from "./input-source.ts";

const roots = ["args", "parent", "argsAbove"];

/** Returns `undefined` after reporting an invalid name. */
export function readBodySource(
  field: FieldContext,
  body: string,
  where: FindingTarget,
): ArgumentSource | undefined {
  const [root, ...path] = body.split(".");
  if (root !== "args" || path.length === 0 || path.includes(""))
    return invalidSource(field.binder, where, `body "${body}" is not "args.<argument>"`);
  return readArgumentSource(field, path, where);
}

/** Returns `undefined` after reporting an invalid source. */
export function readSource(field: FieldContext, from: string, where: FindingTarget): InputSource | undefined {
  const { binder } = field;
  const [root = "", ...path] = from.split(".");
  if (path.length === 0 || path.includes(""))
    return invalidSource(
      binder,
      where,
      `from "${from}" is not "args.x", "parent.x", "Type.x" or "argsAbove.x"${meant(field, from)}`,
    );
  if (root === "args") return readArgumentSource(field, path, where);
  if (root === "argsAbove") return readArgumentAbove(binder, path, where);
  const found = readProperty(field, root, path, where);
  return (
    found && (root === "parent" ? { kind: "parent", ...found } : { kind: "enclosing", type: root, ...found })
  );
}

/** Suggests `args.x` or `parent.x` for a source `x` without a prefix. */
function meant({ argumentsByName, parent }: FieldContext, name: string): string {
  if (argumentsByName.has(name)) return `; did you mean "args.${name}"?`;
  return parent && declaredProperty(parent, name) ? `; did you mean "parent.${name}"?` : "";
}

function whyNot({ schema, findings }: Binder, root: string, { coordinate }: FindingTarget): string {
  if (root === "parent") return ": a root field has no parent object";
  if (root === coordinate.split(".", 1)[0]) return ` names the field's own type: write "parent."`;
  return isEnclosingType(schema, root)
    ? ": no object encloses a root field"
    : ` starts with neither "args." nor "parent." nor "argsAbove." nor an object type that encloses the field${findings.didYouMean(
        root,
        () => [...roots, ...Object.keys(schema.getTypeMap()).filter((name) => isEnclosingType(schema, name))],
      )}`;
}

function readArgumentSource(
  { binder, argumentsByName }: FieldContext,
  path: string[],
  where: FindingTarget,
): ArgumentSource | undefined {
  let inputs: ReadonlyMap<string, GraphQLArgument | GraphQLInputField> = argumentsByName;
  const steps: (GraphQLArgument | GraphQLInputField)[] = [];
  for (const step of path) {
    const found = inputs.get(step);
    if (!found)
      return invalidSource(
        binder,
        where,
        `from "args.${path.join(".")}": there is no ${steps.length === 0 ? "argument " : ""}"${step}"${binder.findings.didYouMean(step, () => [...inputs.keys()])}`,
      );
    steps.push(found);
    const named = getNullableType(found.type);
    inputs = new Map(isInputObjectType(named) ? Object.entries(named.getFields()) : []);
  }
  const last = steps.at(-1);
  return last && argumentSource(steps, last.type);
}

/** `root`: `parent`, or the type of an enclosing object. */
function readProperty(
  { binder, parent, enclosing }: FieldContext,
  root: string,
  path: string[],
  where: FindingTarget,
): Pick<ParentSource, "path" | "nullable" | "shape"> | undefined {
  const from = `from "${[root, ...path].join(".")}"`;
  const object = root === "parent" ? parent : enclosing.get(root)?.shape;
  if (!object) return invalidSource(binder, where, `${from}${whyNot(binder, root, where)}`);
  const found = resolveResponsePath(
    binder.findings,
    where,
    { object, owner: `${root === "parent" ? "the parent's" : `${root}'s`} REST object`, path },
    { rule: "property-missing", hint: "name a property that REST sends", aside: ` (${from})` },
  );
  const last = found?.at(-1);
  if (!last) return undefined;
  const { node, shape } = last;
  binder.addValue({ coordinate: where.coordinate, direction: "response", node, shape });
  const mayBeAbsent = found?.some((each) => !each.required || each.shape.nullable) === true;
  return { path, nullable: mayBeAbsent || shape.types.size === 0, shape };
}

/** Resolves `argsAbove.x`, the argument `x` of the nearest field above that has one. */
function readArgumentAbove(
  binder: Binder,
  path: readonly string[],
  where: FindingTarget,
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
  if (own) return refuse(`${own.coordinate} belongs to the connection itself`);
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

function invalidSource(binder: Binder, where: FindingTarget, message: string): undefined {
  binder.findings.add(
    "source-invalid",
    where,
    message,
    'write "args.<argument>", "parent.<property>", "<type above>.<property>" or "argsAbove.<argument>", dots go deeper',
  );
}
