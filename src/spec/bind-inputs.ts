/** Feeds an operation's parameters and body from arguments, `params` and constants: each required one, each argument used. */

import type { GraphQLArgument } from "graphql";
import { matchInput } from "./bind-input-types.ts";
import { checkRequired, type Fed } from "./bind-required.ts";
import { isNullableInput, readFrom } from "./bind-sources.ts";
import { findTargets, noTarget, type Target, targetsOf } from "./bind-targets.ts";
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import { directivePlace, placeOf, type RestParam, readRestName } from "./directives.ts";
import type { ArgumentSource, Input, InputSource } from "./model.ts";
import { inputKey } from "./operations.ts";

export function bindInputs(binding: Binding, bound: Bound): { inputs: Input[]; wholeBody?: ArgumentSource } {
  const targets = targetsOf(bound.operation);
  const body = wholeBody(binding, bound);
  const explicit = bound.directive.params.flatMap((param, index) =>
    fedByParam(binding, bound, targets, param, index),
  );
  const used = usedArguments([...explicit.map(({ source }) => source), ...(body ? [body] : [])]);
  const named = bound.field.args
    .filter(({ name }) => !used.has(name))
    .flatMap((argument) => fedByName(binding, bound, targets, argument));
  const fed = withoutRepeats(binding, bound, [...explicit, ...named]);
  checkRequired(binding, bound, targets, fed, body !== undefined);
  return {
    inputs: fed.map(({ target, source }) => toInput(bound, target, source)),
    ...(body && { wholeBody: body }),
  };
}

function fedByParam(
  binding: Binding,
  bound: Bound,
  targets: Target[],
  param: RestParam,
  index: number,
): Fed[] {
  const { field, operation, parent } = bound;
  const where = {
    ...bound.where,
    schema: directivePlace(field, "rest", "params", index) ?? bound.where.schema,
  };
  const [target] = findTargets(targets, param.name, param.in);
  if (!target) {
    binding.findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node },
      noTarget(operation, targets, param.name, param.in),
      "name a parameter or body property of the operation",
    );
    return [];
  }
  const constant = param.value !== undefined;
  if (constant === (param.from !== undefined)) {
    binding.findings.add(
      "source-invalid",
      where,
      `${where.coordinate}: parameter "${param.name}" needs either \`from\` or \`value\``,
      "give it one of them",
    );
    return [];
  }
  const source: InputSource | undefined = constant
    ? { kind: "constant", value: param.value }
    : readFrom(binding, field, parent, param.from ?? "", where);
  return source ? [{ target, source, where }] : [];
}

function fedByName(binding: Binding, bound: Bound, targets: Target[], argument: GraphQLArgument): Fed[] {
  const { name = argument.name, in: location } = readRestName(binding.schema, argument);
  const where = {
    coordinate: `${bound.where.coordinate}(${argument.name}:)`,
    schema: placeOf(argument.astNode),
    rest: bound.operation.node,
  };
  const found = findTargets(targets, name, location).filter(
    (target) => target.in !== "body" || bound.directive.body === undefined,
  );
  const [target] = found;
  if (!target) {
    binding.findings.add(
      "argument-unused",
      where,
      `argument "${argument.name}" feeds nothing: ${noTarget(bound.operation, targets, name, location)}`,
      "remove it, or name its parameter with @restName or params",
    );
    return [];
  }
  if (found.length > 1) {
    binding.findings.add(
      "argument-ambiguous",
      where,
      `argument "${argument.name}" may mean ${found.map((each) => `${each.in} "${each.name}"`).join(" or ")}`,
      "settle it with @restName(in: …)",
    );
  }
  const nullable = isNullableInput(argument);
  const source = { kind: "argument" as const, path: [argument.name], nullable, type: argument.type };
  return [{ target, source, where }];
}

function wholeBody(binding: Binding, bound: Bound): ArgumentSource | undefined {
  const { field, directive, operation } = bound;
  if (directive.body === undefined) return undefined;
  const where = { ...bound.where, schema: directivePlace(field, "rest", "body") };
  const source = readFrom(binding, field, undefined, directive.body, where);
  if (!operation.body) {
    binding.findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node },
      `${operation.id} takes no JSON body`,
      "remove `body`",
    );
    return undefined;
  }
  if (source?.kind !== "argument") return undefined;
  const at = { ...where, coordinate: `${where.coordinate}(${source.path[0]}:)` };
  binding.relyOnRequest(at.coordinate, operation.body.node, operation.body.shape.node);
  matchInput(binding, at, source.type, operation.body.shape, true);
  if (source.nullable && operation.body.required && !operation.body.shape.nullable) {
    binding.findings.add(
      "input-nullable",
      { ...at, rest: operation.body.node },
      `argument "${source.path.join(".")}" may be null, but ${operation.id} requires a body`,
      "make the argument non-null, or give it a default",
    );
  }
  return source;
}

/** Arguments that a `from` or `body` names; they do not feed by their own name as well. */
const usedArguments = (sources: readonly InputSource[]): Set<string> =>
  new Set(
    sources.flatMap((source) => (source.kind === "argument" && source.path[0] ? [source.path[0]] : [])),
  );

function withoutRepeats(binding: Binding, bound: Bound, fed: readonly Fed[]): Fed[] {
  const byTarget = new Map<string, Fed>();
  for (const one of fed) {
    const key = inputKey(one.target);
    if (byTarget.has(key)) {
      binding.findings.add(
        "parameter-fed-twice",
        { ...one.where, rest: one.target.node },
        `two sources feed ${one.target.in} "${one.target.name}" of ${bound.operation.id}`,
        "keep one of them",
      );
    } else byTarget.set(key, one);
  }
  return [...byTarget.values()];
}

function toInput({ field }: Bound, target: Target, source: InputSource): Input {
  const argument =
    source.kind === "argument" && source.path.length === 1
      ? field.args.find(({ name }) => name === source.path[0])
      : undefined;
  return {
    name: target.name,
    in: target.in,
    required: target.required,
    takesNull: target.in === "body" && target.shape.nullable,
    node: target.node,
    shape: target.shape,
    source,
    ...(argument?.defaultValue !== undefined && { argumentDefault: argument.defaultValue }),
  };
}
