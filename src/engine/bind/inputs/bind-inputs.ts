/** Connects arguments, `params` and constants with the operation's parameters and body properties. */

import type { GraphQLArgument } from "graphql";
import { inputKey } from "../../openapi/operation.ts";
import { inputRemoval } from "../../openapi/overlays/removals.ts";
import { lazy } from "../../openapi/shapes/lazy.ts";
import type { RestParam } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import { atArgument, atRest, type FieldInProgress } from "../field-in-progress.ts";
import type { Input } from "../model.ts";
import { checkRequired, type FedSlot } from "./check-required.ts";
import { feedingHint, freeSlots, pageArguments, parameterOf } from "./feeding-hint.ts";
import type { InputSlot } from "./input-slots.ts";
import { type ArgumentSource, argumentSource, type InputSource } from "./input-source.ts";
import { matchInput } from "./match-input.ts";
import { readBodySource, readSource } from "./read-source.ts";

export function bindInputs(
  binder: Binder,
  field: FieldInProgress,
): { inputs: Input[]; wholeBody?: ArgumentSource } {
  const free = lazy(() => freeSlots(binder, field));
  const body = wholeBody(binder, field);
  const explicit = field.directive.params.flatMap((param, index) =>
    param.in === "item" ? [] : feedByParam(binder, field, param, index),
  );
  const used = argumentsNamed([...explicit.map(({ source }) => source), ...(body ? [body] : [])]);
  const named = field.definition.args
    .filter(({ name }) => !used.has(name))
    .flatMap((argument) => feedByName(binder, field, argument, free));
  const fed = withoutRepeats(binder, field, [...explicit, ...named]);
  checkRequired(binder, field, fed, body !== undefined);
  return {
    inputs: fed.map((each) => toInput(field, each)),
    ...(body && { wholeBody: body }),
  };
}

function feedByParam(binder: Binder, field: FieldInProgress, param: RestParam, index: number): FedSlot[] {
  const { operation, slots } = field;
  const where = atRest(field, "params", index);
  const [slot] = slots.find(param.name, param.in);
  if (!slot) {
    binder.findings.add(
      "parameter-unknown",
      { ...where, rest: operation.node, removedBy: inputRemoval(binder.document, operation, param.name) },
      slots.missingMessage(binder.findings, param.name, param.in),
      field.directive.batchBy === undefined || field.parent === undefined
        ? "name a parameter or body property of the operation"
        : "name a parameter of the operation; if its answer is the whole list, write `in: ITEM` instead of batchBy",
    );
    return [];
  }
  const constant = param.value !== undefined;
  if (constant === (param.from !== undefined)) {
    binder.findings.add(
      "source-invalid",
      where,
      `parameter "${param.name}" needs either \`from\` or \`value\``,
      "give it one of them",
    );
    return [];
  }
  const source: InputSource | undefined = constant
    ? { kind: "constant", value: param.value }
    : readSource(binder, field, param.from ?? "", where);
  return source ? [{ slot, source, where }] : [];
}

function feedByName(
  binder: Binder,
  field: FieldInProgress,
  argument: GraphQLArgument,
  freeOnes: () => readonly InputSlot[],
): FedSlot[] {
  const { name, location } = parameterOf(binder, field, argument);
  const where = { ...atArgument(field.where, argument), rest: field.operation.node };
  const found = field.slots
    .find(name, location)
    .filter((slot) => slot.in !== "body" || field.directive.body === undefined);
  const [slot] = found;
  if (!slot) {
    binder.findings.add(
      "argument-unused",
      { ...where, removedBy: inputRemoval(binder.document, field.operation, name) },
      `argument "${argument.name}" feeds nothing: ${field.slots.missingMessage(binder.findings, name, location, freeOnes())}`,
      feedingHint(freeOnes(), field.directive.connection && pageArguments.get(argument.name)),
    );
    return [];
  }
  if (found.length > 1) {
    binder.findings.add(
      "argument-ambiguous",
      where,
      `argument "${argument.name}" may mean ${found.map((each) => `${each.in} "${each.name}"`).join(" or ")}`,
      "settle it with @restName(in: …)",
    );
  }
  return [{ slot, source: argumentSource([argument], argument.type), where }];
}

function wholeBody(binder: Binder, field: FieldInProgress): ArgumentSource | undefined {
  const { directive, operation } = field;
  if (directive.body === undefined) return undefined;
  const where = atRest(field, "body");
  const source = readBodySource(binder, field, directive.body, where);
  if (!operation.body && operation.unfeedable.length > 0) return undefined; // `parameter-unfed` says why
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
  matchInput(binder, at, source.type, operation.body.shape);
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

/** The arguments that a `from` or `body` names. They do not also feed the parameter of their own name. */
const argumentsNamed = (sources: readonly InputSource[]): Set<string> =>
  new Set(
    sources.flatMap((source) => (source.kind === "argument" && source.path[0] ? [source.path[0]] : [])),
  );

function withoutRepeats(binder: Binder, field: FieldInProgress, fed: readonly FedSlot[]): FedSlot[] {
  const bySlot = new Map<string, FedSlot>();
  for (const one of fed) {
    const key = inputKey(one.slot);
    if (bySlot.has(key)) {
      binder.findings.add(
        "parameter-fed-twice",
        { ...one.where, rest: one.slot.node },
        `two sources feed ${one.slot.in} "${one.slot.name}" of ${field.operation.id}`,
        "keep one of them",
      );
    } else bySlot.set(key, one);
  }
  return [...bySlot.values()];
}

function toInput({ argumentsByName }: FieldInProgress, { slot, source }: FedSlot): Input {
  const argument =
    source.kind === "argument" && source.path.length === 1
      ? argumentsByName.get(source.path[0] ?? "")
      : undefined;
  const { defaultValue } = argument ?? {};
  return { ...slot, source, ...(defaultValue !== undefined && { argumentDefault: defaultValue }) };
}
