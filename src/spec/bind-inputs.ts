/** Feeds an operation's parameters and body from arguments, `params` and constants: each required one, each argument used. */
import { type GraphQLField, getNamedType, getNullableType, isEnumType, isInputObjectType } from "graphql";
import { checkConstant, checkDefault } from "./bind-constants.ts";
import { bodyProblems, matchInput } from "./bind-input-types.ts";
import { type Feed, isNullableInput, readFrom } from "./bind-sources.ts";
import { findTargets, type Target, targetsOf } from "./bind-targets.ts";
import type { Binding } from "./binding.ts";
import { directivePlace, placeOf, type RestDirective, readRestName } from "./directives.ts";
import { didYouMean, type Where } from "./findings.ts";
import { type Input, type InputSource, inputKey } from "./model.ts";
import type { RestOperation } from "./operations.ts";
import type { Property, Shape } from "./shape.ts";

export type Bound = {
  readonly field: GraphQLField<unknown, unknown>;
  readonly directive: RestDirective;
  readonly operation: RestOperation;
  readonly parent: Shape | undefined;
  readonly where: Where;
};

type Fed = { readonly target: Target; readonly feed: Feed };

export function bindInputs(binding: Binding, bound: Bound): { inputs: Input[]; wholeBody?: InputSource } {
  const targets = targetsOf(bound.operation);
  const body = wholeBody(binding, bound);
  const explicit = bound.directive.params.flatMap((_, index) => fedByParam(binding, bound, targets, index));
  const used = usedArguments([...explicit.map(({ feed }) => feed), ...(body ? [body] : [])]);
  const named = bound.field.args.flatMap((argument) =>
    fedByName(binding, bound, targets, argument.name, used),
  );
  const fed = withoutRepeats(binding, bound, [...explicit, ...named]);
  checkRequired(binding, bound, targets, fed, body !== undefined);
  return {
    inputs: fed.map(({ target, feed }) => toInput(bound, target, feed)),
    ...(body && { wholeBody: body.source }),
  };
}

function fedByParam(binding: Binding, bound: Bound, targets: Target[], index: number): Fed[] {
  const { field, directive, operation, parent } = bound;
  const param = directive.params[index];
  if (!param) return [];
  const where = {
    ...bound.where,
    schema: directivePlace(field, "rest", "params", index) ?? bound.where.schema,
  };
  const [target] = findTargets(targets, param.name, param.in);
  if (!target) {
    const near = didYouMean(
      param.name,
      targets.map(({ name }) => name),
    );
    binding.findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node },
      `${operation.id} has no ${param.in ?? ""} parameter "${param.name}"`.replace("  ", " ") + near,
      "name a parameter or body property of the operation",
    );
    return [];
  }
  const constant = "value" in param && param.value !== undefined;
  if (constant === (param.from !== undefined)) {
    binding.findings.add(
      "source-invalid",
      where,
      `${where.coordinate}: parameter "${param.name}" needs either \`from\` or \`value\``,
      "give it one of them",
    );
    return [];
  }
  const feed: Feed | undefined = constant
    ? { source: { kind: "constant", value: param.value }, where }
    : readFrom(binding, field, parent, param.from ?? "", where);
  return feed ? [{ target, feed }] : [];
}

function fedByName(
  binding: Binding,
  bound: Bound,
  targets: Target[],
  argumentName: string,
  used: ReadonlySet<string>,
): Fed[] {
  const argument = bound.field.args.find(({ name }) => name === argumentName);
  if (!argument || used.has(argument.name)) return [];
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
    const near = didYouMean(
      name,
      targets.map((each) => each.name),
    );
    binding.findings.add(
      "argument-unused",
      where,
      `argument "${argument.name}" feeds nothing: ${bound.operation.id} has no parameter "${name}"${near}`,
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
  const source = { kind: "argument" as const, path: [argument.name], nullable: isNullableInput(argument) };
  return [{ target, feed: { source, type: argument.type, where } }];
}

function wholeBody(binding: Binding, bound: Bound): (Feed & { source: { kind: "argument" } }) | undefined {
  const { field, directive, operation } = bound;
  if (directive.body === undefined) return undefined;
  const where = { ...bound.where, schema: directivePlace(field, "rest", "body") };
  const feed = readFrom(binding, field, undefined, directive.body, where);
  if (!operation.body) {
    binding.findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node },
      `${operation.id} takes no JSON body`,
      "remove `body`",
    );
    return undefined;
  }
  if (!feed || !("type" in feed)) return undefined;
  const at = { ...where, coordinate: `${where.coordinate}(${feed.source.path[0]}:)` };
  binding.rely(at.coordinate, operation.body.node, operation.body.shape.node);
  matchInput(binding, at, feed.type, operation.body.shape, true);
  return feed;
}

/** Arguments that a `from` or `body` names; they do not feed by their own name as well. */
const usedArguments = (feeds: readonly Feed[]): Set<string> =>
  new Set(
    feeds.flatMap(({ source }) => (source.kind === "argument" && source.path[0] ? [source.path[0]] : [])),
  );

function withoutRepeats(binding: Binding, bound: Bound, fed: readonly Fed[]): Fed[] {
  const byTarget = new Map<string, Fed>();
  for (const one of fed) {
    const key = inputKey(one.target);
    if (byTarget.has(key)) {
      binding.findings.add(
        "parameter-fed-twice",
        { ...one.feed.where, rest: one.target.node },
        `two sources feed ${one.target.in} "${one.target.name}" of ${bound.operation.id}`,
        "keep one of them",
      );
    } else byTarget.set(key, one);
  }
  return [...byTarget.values()];
}

function checkRequired(
  binding: Binding,
  bound: Bound,
  targets: Target[],
  fed: readonly Fed[],
  hasBody: boolean,
): void {
  const keys = new Set(fed.map(({ target }) => inputKey(target)));
  const touchesBody = fed.some(({ target }) => target.in === "body");
  const unfed = targets.filter(
    (target) =>
      !keys.has(inputKey(target)) &&
      (target.in === "body" ? !hasBody && isNeeded(bound, target, touchesBody) : target.required),
  );
  for (const target of unfed) {
    const kind = target.in === "body" ? "body property" : `${target.in} parameter`;
    binding.findings.add(
      "parameter-unfed",
      { ...bound.where, rest: target.node },
      `${bound.operation.id} requires the ${kind} "${target.name}", and nothing feeds it`,
      `add an argument "${target.name}", or feed it with params`,
    );
  }
  if (bound.operation.body) bodyProblems(binding, bound, hasBody || touchesBody);
}

/** A property that an optional body requires is needed once any other property of it is fed. */
const isNeeded = (bound: Bound, target: Target, touchesBody: boolean): boolean =>
  target.required || (touchesBody && isDemanded(bound.operation.body?.shape.properties.get(target.name)));

const isDemanded = (property: Property | undefined): boolean =>
  property?.required === true && property.only !== "answer";

function toInput({ field }: Bound, target: Target, feed: Feed): Input {
  const { source } = feed;
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

/** Holds each fed input's type against its parameter; a batch key is checked by the batch. */
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
  binding.rely(`${coordinate}${argument}`, node, shape.node, shape.items?.node);
}

function checkOne(binding: Binding, bound: Bound, input: Input, target: Target): void {
  const { source } = input;
  if (source.kind === "constant")
    return checkConstant(binding, { ...bound.where, rest: target.node }, target, source.value);
  if (source.kind === "argument") {
    const feed = readFrom(binding, bound.field, undefined, `args.${source.path.join(".")}`, bound.where);
    const argument = bound.field.args.find(({ name }) => name === source.path[0]);
    const coordinate = `${bound.where.coordinate}(${source.path[0]}:)`;
    const where = { coordinate, schema: placeOf(argument?.astNode), rest: target.node };
    if (feed && "type" in feed) matchInput(binding, where, feed.type, target.shape, target.in === "body");
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
  if (source.kind === "parent" && bound.parent) {
    const feed = readFrom(binding, bound.field, bound.parent, `parent.${source.path.join(".")}`, bound.where);
    if (feed && "shape" in feed && !shapesMeet(feed.shape, target.shape)) {
      const types = (shape: Shape): string => [...shape.types].join(" or ");
      binding.findings.add(
        "input-type",
        { ...bound.where, rest: target.node },
        `parent.${source.path.join(".")} is ${types(feed.shape)}, but ${target.in} "${target.name}" takes ${types(target.shape)}`,
        "feed it from a property of the same type",
      );
    }
  }
}

export const shapesMeet = (from: Shape, to: Shape): boolean =>
  from.types.size === 0 ||
  to.types.size === 0 ||
  [...from.types].every((type) => to.types.has(type) || (type === "integer" && to.types.has("number")));

export const isInputObject = (type: GraphQLField<unknown, unknown>["args"][number]["type"]): boolean =>
  isInputObjectType(getNullableType(type));
