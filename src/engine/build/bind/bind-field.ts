/** Binds a field with `@rest` to a REST operation, and any other field to a property of its parent's REST object. */

import { getNullableType, isListType, isNonNullType } from "graphql";
import type { Page } from "../../shared/page.ts";
import {
  clientMethods,
  documents404,
  inputKey,
  isSafe,
  isSendable,
  sentMethod,
} from "../openapi/operation.ts";
import { nodeLocation, readRest, readRestName, showsEntries } from "../schema/directives.ts";
import { bindBatch, itemKeys } from "./bind-batch.ts";
import type { Binder } from "./binder.ts";
import { atArgument, type FieldContext, type FieldOfParent } from "./field-context.ts";
import { findOperation } from "./find-operation.ts";
import type { FindingTarget } from "./findings.ts";
import { bindInputs, inferBodyArgument } from "./inputs/bind-inputs.ts";
import { checkInputTypes, isBatchKey } from "./inputs/check-input-types.ts";
import { checkRequest } from "./inputs/check-request.ts";
import { checkStyles } from "./inputs/check-styles.ts";
import { isInheritedSource, readsObject } from "./inputs/input-source.ts";
import type { FieldBinding, Input, PlainField } from "./model.ts";
import { bindConnection } from "./outputs/bind-connection.ts";
import { bindEntries } from "./outputs/bind-entries.ts";
import { matchOutput } from "./outputs/match-output.ts";
import { propertyPathOf, readProperty } from "./outputs/read-property.ts";
import { matchResult, readResults } from "./outputs/read-results.ts";
import { bindReferenceBatch } from "./references.ts";

/**
 * Called once per REST schema of the parent object, and of each object above that `params` reads (`from: "Account.id"`). Two
 * operations may return the same GraphQL type with different schemas.
 */
export function bindField(
  binder: Binder,
  { type, definition, parent }: FieldOfParent,
  enclosing: FieldContext["enclosing"] = new Map(),
): void {
  const where: FindingTarget = {
    coordinate: `${type}.${definition.name}`,
    schema: nodeLocation(definition.astNode),
  };
  const directive = readRest(binder.schema, definition);
  if (directive) {
    const operation = findOperation(binder, definition, directive, where);
    const argumentsByName = new Map(definition.args.map((argument) => [argument.name, argument]));
    const field = {
      binder,
      type,
      definition,
      directive,
      argumentsByName,
      parent: parent?.shape,
      enclosing,
      where,
    };
    if (operation) bindOperation({ ...field, operation, slots: binder.slotsOf(operation) });
  } else if (parent) bindProperty(binder, { type, definition, parent }, where);
  else
    binder.findings.add(
      "field-unbound",
      where,
      `${where.coordinate} is a root field, and has no @rest`,
      'add @rest(operation: "…") to the field, with an operationId, or a method and path such as "GET /things/{id}"',
    );
}

function bindProperty(
  binder: Binder,
  { type, definition, parent }: Required<FieldOfParent>,
  where: FindingTarget,
): void {
  const { self } = readRestName(binder.schema, definition);
  const { properties } = parent.shape;
  const name = binder.names.resolve(definition, properties);
  for (const argument of definition.args) {
    binder.findings.add(
      "argument-unused",
      atArgument(where, argument),
      `argument "${argument.name}" feeds nothing: ${where.coordinate} reads a property`,
      "remove it, or bind the field with @rest",
    );
  }
  const path = self ? [] : propertyPathOf(parent.shape, name);
  const before = binder.fields.get(where.coordinate);
  if (before?.kind === "plain" && before.path.length !== path.length)
    return binder.findings.add(
      "property-missing",
      { ...where, rest: parent.shape.node },
      `"${name}" is a single property in one REST object of ${type}, and a path of several properties in another`,
      "give each REST object a separate type",
    );
  const found = self ? undefined : properties.get(name);
  if (found) binder.addProperty({ ...where, rest: found.node }, name, `the REST object of ${parent.from}`);
  const field: PlainField = {
    kind: "plain",
    coordinate: where.coordinate,
    type,
    definition,
    path,
    ...(showsEntries(binder.schema, definition) && { entries: true }),
  };
  binder.fields.set(where.coordinate, field);
  const read = readProperty(binder, where, field, parent);
  const value = read && bindEntries(binder, read.at, definition, read.value);
  if (value) matchOutput(binder, read.at, definition.type, value);
}

function bindOperation(written: FieldContext): void {
  const { binder, type, definition, operation, where } = written;
  const body = inferBodyArgument(written);
  const match = written.directive.params.find((param) => param.in === "item")?.name;
  const directive = {
    ...(match !== undefined && { batchBy: match }),
    ...written.directive,
    ...(body !== undefined && { body }),
  };
  const field = { ...written, directive };
  checkMethod(field);
  checkRequest(field);
  const { inputs: own, wholeBody } = bindInputs(field);
  const results = readResults(field);
  const keys = itemKeys(written, results[0]?.shape);
  const inputs = ofAllBackings([...own, ...keys], binder.fields.get(where.coordinate));
  checkStyles(field, inputs, wholeBody);
  const connections = directive.connection
    ? results.flatMap((result) => bindConnection(field, inputs, result) ?? [])
    : [];
  const values = directive.connection ? connections.map(({ value }) => value) : results;
  const [first] = directive.batchBy === undefined ? [] : values;
  const isReference = binder.isReference(where.coordinate);
  const reference = first && isReference ? bindReferenceBatch(field, inputs, first.shape) : undefined;
  const batch = first && !isReference ? bindBatch(field, inputs, first.shape) : undefined;
  checkInputTypes(field, inputs);
  const needs = neededBy(inputs, batch);
  const nullOn404 = documents404(operation) && !isMutation(field) && !isNonNullType(definition.type);
  if (nullOn404) binder.addNull({ ...where, rest: operation.node });
  const isForMany = directive.batchBy !== undefined || inputs.some(isBatchKey);
  for (const value of values) matchResult(field, value, { batch, isForMany, mayLackKey: needs.length > 0 });
  binder.fields.set(where.coordinate, {
    kind: "bound",
    coordinate: where.coordinate,
    type,
    definition,
    operation,
    inputs,
    result: directive.result?.split(".") ?? [],
    nullOn404,
    needs,
    keyLists: keyListsOf(field, inputs, batch),
    ...(showsEntries(binder.schema, definition) && { entries: true }),
    wholeBody,
    batch,
    ...(reference && { reference }),
    connection: mergePages(connections.map(({ connection }) => connection)),
  });
}

/** Merges the connections of several 2xx responses. A paging property is required only if every response requires it. */
function mergePages([first, ...others]: readonly Page[]): Page | undefined {
  const required = first?.required?.filter((part) => others.every((page) => page.required?.includes(part)));
  return first && { ...first, ...(required && { required }) };
}

/** Marks a source as nullable if it is nullable for another REST schema of the parent (`before`). */
function ofAllBackings(inputs: Input[], before: FieldBinding | PlainField | undefined): Input[] {
  const known = new Map(before?.kind === "bound" ? before.inputs.map((each) => [inputKey(each), each]) : []);
  return inputs.map((input) => {
    const other = known.get(inputKey(input))?.source;
    return readsObject(input.source) && other && readsObject(other) && other.nullable
      ? { ...input, source: { ...input.source, nullable: true } }
      : input;
  });
}

/**
 * Returns the nullable values that a call needs: if one of them is null, the field is null and no call is sent. For example, `GET
 * /books` without the parent's `authorId` would return the books of all authors.
 */
function neededBy(inputs: readonly Input[], batch: FieldBinding["batch"]): FieldBinding["needs"] {
  const identifiesParent = inputs.some(isAlwaysThere);
  return inputs.flatMap(({ required, source }) => {
    const isNeeded =
      isInheritedSource(source) || (source.kind === "parent" && !batch && (required || !identifiesParent));
    return isNeeded && source.nullable ? [source] : [];
  });
}

const isAlwaysThere = ({ required, source }: Input): boolean =>
  source.kind === "parent" && (required || !source.nullable);

/**
 * Returns the lists that select the field's items, such as `ids`. With empty `ids`, `GET /books` would return all books, so the
 * field is an empty list and no call is sent. Excludes an optional list if another parameter identifies the parent, because the
 * list may be just a filter.
 */
function keyListsOf(
  { definition, directive, operation }: FieldContext,
  inputs: readonly Input[],
  batch: FieldBinding["batch"],
): FieldBinding["keyLists"] {
  const hasItems =
    batch !== undefined || directive.connection !== undefined || isListType(getNullableType(definition.type));
  if (!hasItems) return [];
  const composed = new Set(operation.parameters.filter(({ style }) => style !== "json").map(inputKey));
  return inputs.flatMap((input) => {
    const { required, shape, source } = input;
    const selects =
      source.kind === "enclosing" ||
      (source.kind === "parent" &&
        !batch &&
        (required || !inputs.some((other) => other !== input && isAlwaysThere(other))));
    return selects && shape.types.has("array") && composed.has(inputKey(input)) ? [source] : [];
  });
}

const isMutation = ({ binder: { schema }, type }: FieldContext): boolean =>
  schema.getMutationType()?.name === type;

function checkMethod(field: FieldContext): void {
  const { binder, operation, where } = field;
  const at = { ...where, rest: operation.node };
  const method = sentMethod(operation.method);
  const writes = isMutation(field);
  if (!isSendable(operation.method)) {
    binder.findings.add(
      "method-unsupported",
      at,
      `${where.coordinate} cannot send ${operation.id}, which is ${method}`,
      `bind an operation that is one of ${clientMethods.join(", ").toUpperCase()}`,
    );
  } else if (writes === isSafe(operation.method)) {
    binder.findings.add(
      "method-safety",
      { ...at, facts: [operation.id, method] },
      `${where.coordinate} ${writes ? "is a mutation" : "is not a mutation"}, but ${operation.id} is a ${method}`,
      writes
        ? "bind the operation to a field of Query"
        : "bind the operation to a field of Mutation, or approve the finding if it only reads",
    );
  }
}
