/** Finds the source of each parameter and body property: an argument, `params`, or `spec/credentials.yaml`. */
import { type GraphQLArgument, getNullableType, isInputObjectType } from "graphql";
import { membersOf } from "../../../shared/json-object.ts";
import { entriesOf } from "../../openapi/document.ts";
import { ownMethodAndPath } from "../../openapi/held-credentials.ts";
import { type InputLocation, inputKey } from "../../openapi/operation.ts";
import { inputRemoval } from "../../openapi/overlays/removals.ts";
import { ignoredHeaders } from "../../openapi/read-operation.ts";
import { lazy } from "../../openapi/shapes/lazy.ts";
import { isNumeric } from "../../openapi/shapes/shape.ts";
import { type RestParam, readRestName } from "../../schema/directives.ts";
import { atArgument, atRestDirective, type FieldContext } from "../field-context.ts";
import type { FindingTarget } from "../findings.ts";
import type { Input } from "../model.ts";
import { checkRequired } from "./check-required.ts";
import { type InputSlot, locations } from "./input-slots.ts";
import { type ArgumentSource, argumentSource, type InputSource } from "./input-source.ts";
import { matchInput } from "./match-input.ts";
import { readBodySource, readSource } from "./read-source.ts";

type Fed = { readonly input: Input; readonly where: FindingTarget };

export function bindInputs(field: FieldContext): { inputs: Input[]; wholeBody?: ArgumentSource } {
  const free = lazy(() => unboundSlots(field));
  const body = wholeBody(field);
  const explicit = field.directive.params.flatMap((param, index) =>
    param.in === "item" ? [] : feedByParam(field, param, index),
  );
  const used = argumentsNamed([...explicit.map(({ input }) => input.source), ...(body ? [body] : [])]);
  const named = field.definition.args
    .filter(({ name }) => !used.has(name))
    .flatMap((argument) => feedByName(field, argument, free));
  const inputs = withoutRepeats(field, [
    ...fixedHeaders(field),
    ...tenantParameter(field),
    ...explicit,
    ...named,
  ]);
  checkRequired(field, inputs, body !== undefined);
  return { inputs, ...(body && { wholeBody: body }) };
}

/** Returns the declared header parameters that have a fixed value in `spec/credentials.yaml`. */
const fixedHeaders = (field: FieldContext): Fed[] =>
  field.slots.all.flatMap((slot): Fed[] => {
    const headers = field.binder.credentials.get(field.operation.root.name ?? "")?.headers;
    const fixed = slot.in === "header" ? headers?.get(slot.name.toLowerCase()) : undefined;
    if (!fixed) return [];
    const isNumber = isNumeric(slot.shape) && /^-?\d{1,15}(?:\.\d+)?$/.test(fixed.value);
    const value = isNumber ? Number(fixed.value) : fixed.value;
    const source: InputSource = { kind: "constant", value, fixedAt: fixed.node };
    return [{ input: inputOf(field, slot, source), where: field.where }];
  });

/** Returns the parameter that `tenantParameters` in `spec/credentials.yaml` sets to the id of the caller's tenant. */
function tenantParameter(field: FieldContext): Fed[] {
  const { binder, operation, slots, where } = field;
  const section = binder.credentials.get(operation.root.name ?? "");
  const tenant = section?.tenantParameters.get(ownMethodAndPath(operation));
  const [slot] = tenant ? slots.find(tenant.name, tenant.in) : [];
  return slot ? [{ input: inputOf(field, slot, { kind: "tenant" }), where }] : [];
}

function feedByParam(field: FieldContext, param: RestParam, index: number): Fed[] {
  const { operation, slots } = field;
  const { document, findings } = field.binder;
  const where = atRestDirective(field, "params", index);
  const [slot] = slots.find(param.name, param.in);
  if (!slot && rejectIgnoredHeader(field, where, param.name, param.in)) return [];
  if (!slot) {
    findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node, removedBy: inputRemoval(document, operation, param.name) },
      slots.missingMessage(findings, param.name, param.in),
      field.directive.batchBy === undefined || field.parent === undefined
        ? "name a parameter or body property of the operation"
        : "name a parameter of the operation; if its answer is the whole list, write `in: ITEM` instead of batchBy",
    );
    return [];
  }
  const constant = param.value !== undefined;
  if (constant === (param.from !== undefined)) {
    findings.add(
      "source-invalid",
      where,
      `parameter "${param.name}" needs either \`from\` or \`value\``,
      "give it one of them",
    );
    return [];
  }
  const source: InputSource | undefined = constant
    ? { kind: "constant", value: param.value }
    : readSource(field, param.from ?? "", where);
  return source ? [{ input: inputOf(field, slot, source), where }] : [];
}

function feedByName(
  field: FieldContext,
  argument: GraphQLArgument,
  freeOnes: () => readonly InputSlot[],
): Fed[] {
  const { document, findings } = field.binder;
  const { name, location } = parameterNamedBy(field, argument);
  const where = { ...atArgument(field.where, argument), rest: field.operation.node };
  const found = field.slots
    .find(name, location)
    .filter((slot) => slot.in !== "body" || field.directive.body === undefined);
  const [slot] = found;
  if (!slot && rejectIgnoredHeader(field, where, name, location)) return [];
  if (!slot) {
    findings.add(
      "argument-unused",
      { ...where, removedBy: inputRemoval(document, field.operation, name) },
      `argument "${argument.name}" feeds nothing: ${field.slots.missingMessage(findings, name, location, freeOnes())}`,
      unusedArgumentHint(freeOnes(), field.directive.connection && connectionArguments.get(argument.name)),
    );
    return [];
  }
  if (found.length > 1) {
    findings.add(
      "argument-ambiguous",
      where,
      `argument "${argument.name}" may mean ${found.map((each) => `${each.in} "${each.name}"`).join(" or ")}`,
      "choose one with @restName(in: …)",
    );
  }
  return [{ input: inputOf(field, slot, argumentSource([argument], argument.type)), where }];
}

/** Returns `true` after reporting a header that OpenAPI does not allow as a parameter, such as `Accept`. */
function rejectIgnoredHeader(
  { binder: { document, findings }, operation }: FieldContext,
  where: FindingTarget,
  name: string,
  location: InputLocation | undefined,
): boolean {
  const mend = ignoredHeaders.get(name.toLowerCase());
  if (mend === undefined) return false;
  const declared = [operation.item, operation.node].some((owner) =>
    entriesOf(document, document.child(owner, "parameters")).some(
      ({ value }) =>
        membersOf(value).in === "header" &&
        String(membersOf(value).name).toLowerCase() === name.toLowerCase(),
    ),
  );
  if (location !== "header" && !declared) return false;
  findings.add(
    "parameter-unknown",
    { ...where, rest: operation.node },
    `OpenAPI ignores a header parameter "${name}", so nothing can feed it`,
    `${mend}, in ${document.overlayAt(operation.root)} if the document is a vendor's; and remove what feeds the parameter`,
  );
  return true;
}

function wholeBody(field: FieldContext): ArgumentSource | undefined {
  const { binder, directive, operation } = field;
  if (directive.body === undefined) return undefined;
  const where = atRestDirective(field, "body");
  const source = readBodySource(field, directive.body, where);
  if (!operation.body && operation.unfeedable.length > 0) return undefined; // `parameter-unfed` reports the body
  if (!operation.body) {
    binder.findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node },
      `${operation.id} takes no body that is JSON, a form or text`,
      "remove `body`",
    );
    return undefined;
  }
  if (!source) return undefined;
  const at = { ...where, coordinate: `${where.coordinate}(${source.path[0]}:)` };
  matchInput(binder, { where: at, type: source.type, shape: operation.body.shape });
  if (source.nullable && operation.body.required && !operation.body.shape.nullable) {
    binder.findings.add(
      "input-nullable",
      { ...at, rest: operation.body.node },
      `argument "${source.path.join(".")}" may be null, but ${operation.id} requires a body`,
      "make the argument non-null, or give it a default",
    );
  }
  return source;
}

/** Returns the arguments that `from` or `body` names. Such an argument feeds no parameter by its own name. */
const argumentsNamed = (sources: readonly InputSource[]): Set<string> =>
  new Set(
    sources.flatMap((source) => (source.kind === "argument" && source.path[0] ? [source.path[0]] : [])),
  );

function withoutRepeats({ binder, operation }: FieldContext, fed: readonly Fed[]): Input[] {
  const bySlot = new Map<string, Input>();
  for (const { input, where } of fed) {
    const key = inputKey(input);
    const first = bySlot.get(key);
    if (first) {
      binder.findings.add(
        "parameter-fed-twice",
        { ...where, rest: input.node },
        `two sources feed ${input.in} "${input.name}" of ${operation.id}`,
        removalOf(first, where) ?? "keep one of them",
      );
    } else bySlot.set(key, input);
  }
  return [...bySlot.values()];
}

/** Returns advice to remove the second source, if the first is in `spec/credentials.yaml`. */
function removalOf({ name, source }: Input, { coordinate }: FindingTarget): string | undefined {
  const removed = coordinate.endsWith(":)") ? "remove the argument" : `remove "${name}" from params of @rest`;
  if (source.kind === "tenant")
    return `${removed}: by tenantParameters in spec/credentials.yaml, "${name}" is the id of the caller's tenant`;
  if (source.kind === "constant" && source.fixedAt)
    return `${removed}: headers in spec/credentials.yaml fixes "${name}"`;
  return undefined;
}

function inputOf({ argumentsByName }: FieldContext, slot: InputSlot, source: InputSource): Input {
  const argument =
    source.kind === "argument" && source.path.length === 1
      ? argumentsByName.get(source.path[0] ?? "")
      : undefined;
  const { defaultValue } = argument ?? {};
  return { ...slot, source, ...(defaultValue !== undefined && { argumentDefault: defaultValue }) };
}

/** Maximum number of parameters that advice lists. */
const mostNamed = 10;

/** Finds the parameter that an argument feeds by the argument's `@restName`, or else by its own name. */
function parameterNamedBy(
  { binder: { names, schema }, directive, slots }: FieldContext,
  argument: GraphQLArgument,
): { readonly name: string; readonly location: InputLocation | undefined } {
  const { in: location } = readRestName(schema, argument);
  const open = locations.filter((each) => each !== "body" || directive.body === undefined);
  return { name: names.resolve(argument, slots.names(location ? [location] : open)), location };
}

/** Returns the parameters and body properties that no argument and no entry of `params` names. */
function unboundSlots(field: FieldContext): InputSlot[] {
  const { definition, directive, slots } = field;
  const named = new Set([
    ...directive.params.map(({ name }) => name),
    ...definition.args.map((argument) => parameterNamedBy(field, argument).name),
  ]);
  return slots.all.filter(
    (slot) =>
      !named.has(slot.name) &&
      slot.only !== "response" &&
      !slot.isUndeclared &&
      (slot.in !== "body" || directive.body === undefined),
  );
}

/** Argument of a connection → purpose of its REST parameter, for advice. */
const connectionArguments: ReadonlyMap<string, string> = new Map([
  ["after", "where a page begins"],
  ["first", "how long a page is"],
]);

/**
 * Suggests the only required parameter without a source, otherwise lists all parameters without one. `purpose`: for example
 * `where a page begins`.
 */
function unusedArgumentHint(free: readonly InputSlot[], purpose?: string): string {
  const [unnamed, ...others] = free.filter(({ required }) => required);
  if (unnamed && others.length === 0)
    return `name its parameter, @restName(name: "${unnamed.name}"), or remove it`;
  const listed = free.slice(0, mostNamed).map(({ name }) => `"${name}"`);
  if (free.length > mostNamed) listed.push(`${free.length - mostNamed} more`);
  const list = free.length > 0 ? `; still free: ${listed.join(", ")}` : "";
  return purpose === undefined
    ? `remove it, or name its parameter with @restName or params${list}`
    : `name, with @restName, the parameter that determines ${purpose}${list}`;
}

/**
 * Returns `args.<name>` for the argument that is the whole body: the one that `@rest(body:)` names, or the only input object that
 * feeds no parameter. Returns `undefined` if several arguments qualify, or if a body property has its own source.
 */
export function inferBodyArgument(field: FieldContext): string | undefined {
  const { definition, directive, operation, slots } = field;
  const { names, schema } = field.binder;
  if (directive.body !== undefined || !operation.body) return directive.body;
  const used = new Set(directive.params.map(({ from = "" }) => /^args\.(\w+)/.exec(from)?.[1]));
  const free = definition.args.filter(({ name }) => !used.has(name));
  const slotsOf = (argument: GraphQLArgument) => slots.find(names.resolve(argument, slots.names(locations)));
  const feedsBody =
    directive.params.some(({ name }) => slots.find(name).some((slot) => slot.in === "body")) ||
    free.some((argument) => slotsOf(argument).some((slot) => slot.in === "body"));
  if (feedsBody) return undefined;
  const left = free.filter(
    (argument) =>
      isInputObjectType(getNullableType(argument.type)) &&
      readRestName(schema, argument).name === undefined &&
      slotsOf(argument).length === 0,
  );
  return left.length === 1 ? `args.${left[0]?.name}` : undefined;
}
