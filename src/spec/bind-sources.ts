/** Reads a source (`args.x`, `parent.x`, a constant): what it comes to on the GraphQL side and on the parent's REST object. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
} from "graphql";
import { checkExact } from "./bind-types.ts";
import type { Binding } from "./binding.ts";
import { didYouMean, type Where } from "./findings.ts";
import type { ArgumentSource, ParentSource } from "./model.ts";
import { declared, type Shape } from "./shape.ts";

type Field = GraphQLField<unknown, unknown>;

/** A nullable argument with a default still has a value when it is left out. */
export const isNullableInput = (input: GraphQLArgument | GraphQLInputField): boolean =>
  !isNonNullType(input.type) && input.defaultValue === undefined;

/** `from: "args.x"` or `from: "parent.x"`; `undefined` after a finding. */
export function readFrom(
  binding: Binding,
  field: Field,
  parent: Shape | undefined,
  from: string,
  where: Where,
): ArgumentSource | ParentSource | undefined {
  const [root, ...path] = from.split(".");
  if (path.length === 0 || path.includes(""))
    return invalid(binding, where, `from "${from}" is not "args.x" or "parent.x"`);
  if (root === "args") return fromArguments(binding, field, path, where);
  if (root !== "parent")
    return invalid(binding, where, `from "${from}" starts with neither "args." nor "parent."`);
  if (!parent) return invalid(binding, where, `from "${from}": a root field has no parent object`);
  return fromParent(binding, parent, path, where);
}

function fromArguments(
  binding: Binding,
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
        binding,
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

function fromParent(binding: Binding, parent: Shape, path: string[], where: Where): ParentSource | undefined {
  let shape = parent;
  let nullable = false;
  for (const step of path) {
    const found = declared(shape, step);
    if (!found) {
      const near = didYouMean(step, shape.properties.keys());
      const at = { ...where, rest: shape.node };
      binding.findings.add(
        "property-missing",
        at,
        `the parent's REST object has no property "${step}" (from "parent.${path.join(".")}")${near}`,
        "name a property that REST sends",
      );
      return undefined;
    }
    binding.rely(where.coordinate, found.node, found.shape.node);
    nullable ||= !found.required || found.shape.nullable;
    shape = found.shape;
  }
  const at = { ...where, rest: shape.node };
  checkExact(binding, at, `parent.${path.join(".")}`, shape.items ?? shape);
  return { kind: "parent", path, nullable, shape };
}

function invalid(binding: Binding, where: Where, message: string): undefined {
  binding.findings.add(
    "source-invalid",
    where,
    `${where.coordinate}: ${message}`,
    'write "args.<argument>" or "parent.<property>", dots go deeper',
  );
}
