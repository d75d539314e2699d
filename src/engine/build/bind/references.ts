/**
 * Binds the `@key`s of a federation subgraph. A Query field with an operation loads the entity. Without an operation, the
 * representation that the router sends must contain all fields of the type.
 */
import { isEnumType, isListType } from "graphql";
import { type JsonType, Shape } from "../openapi/shapes/shape.ts";
import { syntheticIdentity } from "../openapi/shapes/shape-identity.ts";
import { type DirectiveCarrier, nodeLocation, readRest } from "../schema/directives.ts";
import type { EntityKey, Federation, KeyField } from "../schema/federation.ts";
import { allFields, fieldsOf } from "../schema/object-types.ts";
import { checkBatchCut, keyProperties, maxBatchSize } from "./bind-batch.ts";
import type { Binder } from "./binder.ts";
import { atRestDirective, type FieldContext, type FieldOfParent } from "./field-context.ts";
import type { FindingTarget } from "./findings.ts";
import type { FieldBinding, Input, Model, Reference } from "./model.ts";

/**
 * Binds a Query field that loads a list of entities by their keys (`batchBy`). Returns `undefined` after reporting an invalid
 * batch.
 */
export function bindReferenceBatch(
  field: FieldContext,
  inputs: readonly Input[],
  result: Shape,
): FieldBinding["reference"] {
  const { binder, definition, directive, operation } = field;
  const { batchBy = "" } = directive;
  const where = { ...atRestDirective(field, "batchBy"), rest: operation.node };
  const [key] = inputs.filter(({ source, shape }) => source.kind === "argument" && shape.types.has("array"));
  if (!key || definition.args.length > 1) {
    if (!binder.findings.hasErrorAt(field.where.coordinate))
      binder.findings.add(
        "batch-key",
        where,
        `batchBy needs a key of one field that feeds an array parameter of ${operation.id}`,
        "feed an array parameter from the key's field, or bind an operation for one object without batchBy",
      );
    return undefined;
  }
  const path = result.items && keyProperties(result.items, batchBy);
  const last = path?.at(-1);
  const keyShape = key.shape.items;
  const isFit = last && keyShape && [...last.shape.types].some((type) => keyShape.types.has(type));
  if (!path || !isFit || path.some(({ required, shape }) => !required || shape.nullable)) {
    binder.findings.add(
      "batch-match",
      { ...where, rest: last?.node ?? result.node },
      `batchBy "${batchBy}" is not a property that every item has and whose values are those of "${key.name}"`,
      "match by the items' property that holds the key, required and not null",
    );
    return undefined;
  }
  const batch = { size: maxBatchSize(key), match: path.map(({ name }) => name) };
  checkBatchCut(field, inputs, { ...batch, key, mode: "one" });
  return batch;
}

/** If no operation resolves a key, registers the router's representation as a REST object of the type. */
export function addRepresentations(binder: Binder, federation: Federation): void {
  for (const key of federation.keys) {
    if (key.reference || !isSufficient(binder, key, federation)) continue;
    const shape = representationShape(binder, key);
    const members = [...shape.properties.values()].map((property) => {
      const { types, values } = property.shape;
      const literals = values?.map((value) => JSON.stringify(value)).join(" | ");
      const type = literals ?? (types.has("integer") ? "number" : [...types].join(" | "));
      return `${JSON.stringify(property.name)}${property.required ? "" : "?"}: ${type}`;
    });
    binder.addBacking(key.type, { shape, typeExpression: `{ ${members.join("; ")} }`, from: key.type });
  }
}

/** Whether the router's representation contains everything that the fields of the type read or send to REST. */
function isSufficient(binder: Binder, key: EntityKey, { external }: Federation): boolean {
  const given = [...key.keyFields, ...key.required];
  const names = new Set(given.map(({ path }) => path.join(".")));
  const own = fieldsOf(binder.schema, key.type);
  const properties = new Set(
    own.filter(({ name }) => names.has(name)).map((field) => binder.names.of(field)),
  );
  return (
    given.every(({ path }) => path.length === 1) &&
    own.every((field) => {
      const rest = readRest(binder.schema, field);
      if (!rest) return names.has(field.name) || hasDirective(field, external);
      const sources = rest.params.flatMap(({ from }) => (from?.startsWith("parent.") ? [from.slice(7)] : []));
      return sources.every((source) => properties.has(source));
    })
  );
}

const hasDirective = ({ astNode }: DirectiveCarrier, directive: string): boolean =>
  astNode?.directives?.some(({ name }) => name.value === directive) ?? false;

/**
 * Whether the field needs values of other subgraphs that this REST object lacks: an `@external` field, or a field with
 * `@requires`.
 */
export function isOfOtherSubgraphs(
  { names, schema }: Binder,
  { external, requires, keys }: Federation,
  { type, definition, parent }: Required<FieldOfParent>,
): boolean {
  const { properties } = parent.shape;
  if (hasDirective(definition, external) && !readRest(schema, definition))
    return !properties.has(names.resolve(definition, properties));
  return parent.from !== type && hasDirective(definition, requires) && keys.some((key) => key.type === type);
}

/** Reports `@external` fields without a value, `@requires` in a type whose objects come from REST, and `@key` on an interface. */
export function checkFederation(
  { schema, fields, findings }: Binder,
  { external, requires, keys, interfaceKeys }: Federation,
): void {
  for (const { type, field } of allFields(schema)) {
    const coordinate = `${type}.${field.name}`;
    if (fields.has(coordinate)) continue;
    const where: FindingTarget = { coordinate, schema: nodeLocation(field.astNode) };
    const own = keys.filter((key) => key.type === type);
    const isFromRest = own.length > 0 && own.every(({ reference }) => reference);
    if (hasDirective(field, requires) && isFromRest)
      findings.add(
        "federation-unsupported",
        where,
        `${coordinate} requires fields of other subgraphs, and the operation (@rest) of ${type} gives its objects without them`,
        `remove @rest from ${type} if it then has only fields of the key, required fields and links; or remove @requires, and read these values from REST`,
      );
    const isRequired = own.some(({ required }) => required.some(({ path }) => path[0] === field.name));
    if (hasDirective(field, external) && !(isRequired && isFromRest))
      findings.add(
        "property-missing",
        where,
        `no REST object of ${type} has the external field "${field.name}", and nothing requires it`,
        "name it in a @requires of the type, or remove it",
      );
  }
  for (const { type, node } of interfaceKeys)
    findings.add(
      "federation-unsupported",
      { coordinate: type, schema: nodeLocation(node) },
      `@key of the interface ${type}: no operation resolves an entity without its object type`,
      `write @key on the object types that implement ${type}; a type of another subgraph's interface is an object with @interfaceObject here`,
    );
}

const jsonTypes: ReadonlyMap<string, JsonType> = new Map([
  ["Int", "integer"],
  ["Float", "number"],
  ["Boolean", "boolean"],
]);

/** Describes the representation that a federation router sends, with the properties' REST names. */
function representationShape(binder: Binder, { type, keyFields, required }: EntityKey): Shape {
  const { root: node } = binder.document;
  const propertyOf = ({ path: [field = ""], type: name, isRequired }: KeyField) => {
    const definition = fieldsOf(binder.schema, type).find((each) => each.name === field);
    const restName = definition ? binder.names.of(definition) : field;
    const leaf = binder.schema.getType(name);
    const jsonType = jsonTypes.get(name) ?? (name === "ID" ? idType(binder, type, restName) : "string");
    const shape = new Shape({
      node,
      identity: syntheticIdentity(`${type}.${field}`),
      types: [jsonType],
      ...(name === "Int" && { format: "int32" }),
      ...(name === "DateTime" && { format: "date-time" }),
      ...(name === "Date" && { format: "date" }),
      ...(isEnumType(leaf) && { values: leaf.getValues().map((value) => binder.names.of(value)) }),
    });
    return [restName, { name: restName, node, required: isRequired?.isNullable !== true, shape }] as const;
  };
  return new Shape({
    node,
    identity: syntheticIdentity(`the representation of ${type}`),
    types: ["object"],
    properties: () => new Map([...required, ...keyFields].map(propertyOf)),
  });
}

/** Returns `integer` if a field of the type sends the ID in an integer parameter, otherwise `string`. */
function idType(binder: Binder, type: string, property: string): JsonType {
  for (const field of fieldsOf(binder.schema, type)) {
    const rest = readRest(binder.schema, field);
    const operation = rest && binder.operations.named(rest.operation);
    for (const param of rest?.params ?? []) {
      if (!operation || param.from !== `parent.${property}`) continue;
      const [slot] = binder.slotsOf(operation).find(param.name, param.in);
      const shape = slot?.shape.types.has("array") ? slot.shape.items : slot?.shape;
      if (shape?.types.has("integer") && shape.types.size === 1) return "integer";
    }
  }
  return "string";
}

/** Returns how each `@key` is resolved, and reports keys that cannot be resolved. */
export function referencesOf(binder: Binder, federation: Federation | undefined): Model["references"] {
  if (!federation) return [];
  return federation.keys.flatMap((key): Reference[] => {
    const { type, fields, keyFields, required } = key;
    const where: FindingTarget = { coordinate: type, schema: nodeLocation(key.node) };
    if (!key.reference && !isSufficient(binder, key, federation)) {
      binder.findings.add(
        "entity-unresolved",
        { ...where, facts: [fields] },
        `nothing resolves @key(fields: "${fields}") of ${type}: it has no operation, and a field reads more than the key`,
        `write @rest(operation: "…") on ${type}, with the key's fields as arguments, or @key(…, resolvable: false)`,
      );
      return [];
    }
    if (!key.reference)
      return [{ type, keys: [...keyFields, ...required].map((field) => withProperty(binder, type, field)) }];
    const field = key.reference.name.value;
    const query = binder.schema.getQueryType()?.name;
    const bound = binder.fields.get(`${query}.${field}`);
    if (bound?.kind !== "bound") return [];
    const { reference, definition, operation } = bound;
    const isBatch = isListType(definition.type);
    if (!isBatch)
      binder.findings.add(
        "n-plus-one",
        { ...where, rest: operation.node, facts: [operation.id] },
        `@key(fields: "${fields}") of ${type} calls ${operation.id} once for each representation that a router sends`,
        "bind a list operation with batchBy; or approve it",
      );
    return [{ type, keys: keyFields, field, ...(isBatch && reference && { batch: reference }) }];
  });
}

function withProperty(
  binder: Binder,
  type: string,
  { isRequired, ...field }: KeyField,
): Reference["keys"][number] {
  const [name] = field.path;
  const definition = fieldsOf(binder.schema, type).find((each) => each.name === name);
  const property = definition ? binder.names.of(definition) : field.argument;
  const isInteger = field.type === "ID" && idType(binder, type, property) === "integer";
  return {
    ...field,
    property,
    ...(isInteger && { isInteger: true }),
    ...(isRequired && { isOptional: true }),
  };
}
