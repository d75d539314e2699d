/** Each fed input held against its parameter: its type, its default, whether it may be null. */
import { getNamedType, isEnumType } from "graphql";
import { checkConstant, checkDefault } from "./bind-constants.ts";
import { matchInput, refuseReadOnly } from "./bind-input-types.ts";
import { findTargets, type Target, targetsOf } from "./bind-targets.ts";
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import { placeOf } from "./directives.ts";
import type { Input } from "./model.ts";
import { fits, typesOf } from "./shape.ts";

/** Adds its findings to `binding`. A batch key is left out: it is checked by its batch. */
export function checkInputTypes(
  binding: Binding,
  bound: Bound,
  inputs: readonly Input[],
  batchKey: Input | undefined,
): void {
  for (const input of inputs) {
    if (input === batchKey) continue;
    // a batch that failed has said so
    if (
      bound.directive.batchBy !== undefined &&
      input.source.kind === "parent" &&
      input.shape.types.has("array")
    )
      continue;
    const [target] = findTargets(targetsOf(bound.operation), input.name, input.in);
    if (!target) continue;
    checkOne(binding, bound, input, target);
  }
}

/** An argument's parameter is relied on by the argument alone: who does not give it does not notice. */
export function relyOnInput(binding: Binding, coordinate: string, { source, node, shape }: Input): void {
  const argument = source.kind === "argument" ? `(${source.path[0]}:)` : "";
  binding.relyOnRequest(`${coordinate}${argument}`, node, shape.node, shape.items?.node);
}

function checkOne(binding: Binding, bound: Bound, input: Input, target: Target): void {
  const { source } = input;
  const argument =
    source.kind === "argument" ? bound.field.args.find(({ name }) => name === source.path[0]) : undefined;
  const own = argument && {
    coordinate: `${bound.where.coordinate}(${argument.name}:)`,
    schema: placeOf(argument.astNode),
  };
  const where = { ...(own ?? bound.where), rest: target.node };
  if (target.isReadOnly) return refuseReadOnly(binding, where, target.name);
  if (source.kind === "constant") return checkConstant(binding, where, target, source.value);
  if (source.kind === "argument") {
    matchInput(binding, where, source.type, target.shape, target.in === "body");
    if (argument && input.argumentDefault !== undefined && !isEnumType(getNamedType(argument.type)))
      checkDefault(binding, where, target, input.argumentDefault);
    if (source.nullable && target.required) {
      binding.findings.add(
        "input-nullable",
        where,
        `argument "${source.path.join(".")}" may be null, but ${bound.operation.id} requires ${target.in} "${target.name}"`,
        "make the argument non-null, or give it a default",
      );
    }
  }
  if (source.kind === "parent" && !fits(source.shape, target.shape)) {
    binding.findings.add(
      "input-type",
      where,
      `parent.${source.path.join(".")} is ${typesOf(source.shape)}, but ${target.in} "${target.name}" takes ${typesOf(target.shape)}`,
      target.shape.types.has("array")
        ? "add batchBy, with the property of the items that holds this key: one call is for many parents then"
        : "feed it from a property of the same type",
    );
  }
}
