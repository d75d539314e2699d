/** Reads a source (`args.x` or `parent.x`): resolves its path in the arguments or in the parent's REST object. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
} from "graphql";
import { declaredNames, declaredProperty, type Shape } from "../../openapi/shape.ts";
import type { Binder } from "../binder.ts";
import { didYouMean, type Where } from "../findings.ts";
import type { ArgumentSource, ParentSource } from "../model.ts";
import { checkExactInteger } from "../type-rules.ts";

type Field = GraphQLField<unknown, unknown>;

/** A default value stands in for an omitted argument. */
export const isNullableInput = (input: GraphQLArgument | GraphQLInputField): boolean =>
  !isNonNullType(input.type) && input.defaultValue === undefined;

/** Returns `undefined` after a finding. */
export function readSource(
  binder: Binder,
  field: Field,
  parent: Shape | undefined,
  from: string,
  where: Where,
): ArgumentSource | ParentSource | undefined {
  const [root, ...path] = from.split(".");
  if (path.length === 0 || path.includes(""))
    return invalid(binder, where, `from "${from}" is not "args.x" or "parent.x"`);
  if (root === "args") return readArgumentSource(binder, field, path, where);
  if (root !== "parent")
    return invalid(binder, where, `from "${from}" starts with neither "args." nor "parent."`);
  if (!parent) return invalid(binder, where, `from "${from}": a root field has no parent object`);
  return readParentSource(binder, parent, path, where);
}

function readArgumentSource(
  binder: Binder,
  field: Field,
  path: string[],
  where: Where,
): ArgumentSource | undefined {
  let inputs: readonly (GraphQLArgument | GraphQLInputField)[] = field.args;
  let nullable = false;
  let type: GraphQLInputType | undefined;
  for (const step of path) {
    const found = inputs.find(({ name }) => name === step);
    if (!found)
      return invalid(
        binder,
        where,
        `from "args.${path.join(".")}": there is no "${step}"${didYouMean(
          step,
          inputs.map(({ name }) => name),
        )}`,
      );
    nullable ||= isNullableInput(found);
    type = found.type;
    const named = getNullableType(type);
    inputs = isInputObjectType(named) ? Object.values(named.getFields()) : [];
  }
  return type && { kind: "argument", path, nullable, type };
}

function readParentSource(
  binder: Binder,
  parent: Shape,
  path: string[],
  where: Where,
): ParentSource | undefined {
  let shape = parent;
  let nullable = false;
  for (const step of path) {
    const found = declaredProperty(shape, step);
    if (!found) {
      const near = didYouMean(step, declaredNames(shape));
      const at = { ...where, rest: shape.node };
      binder.findings.add(
        "property-missing",
        at,
        `the parent's REST object has no property "${step}" (from "parent.${path.join(".")}")${near}`,
        "name a property that REST sends",
      );
      return undefined;
    }
    binder.relyOnResponse(where.coordinate, found.node, found.shape.node);
    nullable ||= !found.required || found.shape.nullable;
    shape = found.shape;
  }
  const at = { ...where, rest: shape.node };
  checkExactInteger(binder, at, `parent.${path.join(".")}`, shape.items ?? shape);
  return { kind: "parent", path, nullable, shape };
}

function invalid(binder: Binder, where: Where, message: string): undefined {
  binder.findings.add(
    "source-invalid",
    where,
    `${where.coordinate}: ${message}`,
    'write "args.<argument>" or "parent.<property>", dots go deeper',
  );
}
