/** An input's GraphQL type held against the REST parameter that it feeds: type, list depth, enum, required properties. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
} from "graphql";
import { isNullableInput } from "./bind-sources.ts";
import { describe, refused, scalarFits } from "./bind-types.ts";
import type { Binding } from "./binding.ts";
import { placeOf, readRestName } from "./directives.ts";
import { didYouMean, type Where } from "./findings.ts";
import { unsoundLimits } from "./limits.ts";
import { declared, type Shape } from "./shape.ts";

/** `inBody`: as JSON, where an ID stays the string that it is; elsewhere all is text on the wire. */
export function matchInput(
  binding: Binding,
  where: Where,
  type: GraphQLInputType,
  shape: Shape,
  inBody: boolean,
): void {
  if (isNonNullType(type)) return matchInput(binding, where, type.ofType, shape, inBody);
  checkLimits(binding, where, shape);
  const isArray = shape.types.size === 1 && shape.types.has("array");
  if (isListType(type) !== isArray && shape.types.size > 0 && !isCustomScalar(type)) {
    return misfit(binding, where, type, shape);
  }
  if (isListType(type)) {
    if (!shape.items) return;
    if (!isNonNullType(type.ofType) && !shape.items.nullable && shape.items.types.size > 0) {
      binding.findings.add(
        "input-nullable",
        where,
        `items of ${type} may be null, but REST takes none`,
        `write [${type.ofType}!]`,
      );
    }
    return matchInput(binding, where, type.ofType, shape.items, inBody);
  }
  const isText = inBody && isScalarType(type) && type.name === "ID" && shape.types.size > 0;
  if (isText && !shape.types.has("string")) return misfit(binding, where, type, shape);
  if (isScalarType(type) && !scalarFits(type, shape)) return misfit(binding, where, type, shape);
  if (isEnumType(type)) {
    if (shape.types.size > 0 && !shape.types.has("string")) return misfit(binding, where, type, shape);
    const wrong = refused(binding.schema, type, shape);
    if (wrong.length > 0) {
      binding.findings.add(
        "input-enum",
        where,
        `REST refuses ${wrong.map((name) => `${type}.${name}`).join(", ")} at ${where.coordinate}`,
        `remove it from ${type}, or give it the REST name with @restName`,
      );
    }
  }
  if (isInputObjectType(type)) matchInputObject(binding, where, type, shape, inBody);
}

const isCustomScalar = (type: GraphQLInputType): boolean =>
  isScalarType(type) && !isSpecifiedScalarType(type);

const visiting = new WeakMap<GraphQLInputObjectType, Set<unknown>>();

function matchInputObject(
  binding: Binding,
  where: Where,
  type: GraphQLInputObjectType,
  shape: Shape,
  inBody: boolean,
): void {
  const seen = visiting.get(type) ?? new Set();
  visiting.set(type, seen);
  if (seen.has(shape.node.value)) return;
  if (shape.types.size > 0 && !shape.types.has("object")) return misfit(binding, where, type, shape);
  seen.add(shape.node.value);
  const fed = new Set<string>();
  for (const field of Object.values(type.getFields())) {
    const name = readRestName(binding.schema, field).name ?? field.name;
    const property = declared(shape, name);
    const at = {
      coordinate: `${type.name}.${field.name}`,
      schema: placeOf(field.astNode),
      rest: property?.node ?? shape.node,
    };
    fed.add(name);
    binding.relyOnRequest(at.coordinate, property?.node, property?.shape.node, property?.shape.items?.node);
    if (!property) {
      binding.findings.add(
        "property-missing",
        at,
        `REST takes no property "${name}"${didYouMean(name, shape.properties.keys())}`,
        "remove the input field, or name its property with @restName",
      );
      continue;
    }
    if (property.only === "answer") {
      refuseReadOnly(binding, at, name);
      continue;
    }
    if (property.required && isNullableInput(field)) {
      binding.findings.add(
        "input-nullable",
        at,
        `${at.coordinate} may be null, but REST requires "${name}"`,
        "make the input field non-null, or give it a default",
      );
    }
    matchInput(binding, at, field.type, property.shape, inBody);
  }
  for (const property of shape.properties.values()) {
    if (property.required && property.only !== "answer" && !fed.has(property.name)) {
      binding.findings.add(
        "parameter-unfed",
        { ...where, rest: property.node },
        `REST requires the property "${property.name}" of ${type}, and nothing feeds it`,
        `add it to input ${type}`,
      );
    }
  }
  seen.delete(shape.node.value);
}

export const refuseReadOnly = (binding: Binding, where: Where, name: string): void =>
  binding.findings.add(
    "property-missing",
    where,
    `REST never takes the property "${name}": it is readOnly`,
    "remove what feeds it",
  );

function misfit(binding: Binding, where: Where, type: GraphQLInputType, shape: Shape): void {
  binding.findings.add(
    "input-type",
    where,
    `${where.coordinate} is ${type}, but REST takes ${describe(shape)}`,
    "give the argument the type that REST takes",
  );
}

/** The argument is sent without a limit that nobody can read, and REST may refuse it. */
function checkLimits(binding: Binding, where: Where, { limits, node }: Shape): void {
  for (const [key, value] of unsoundLimits(limits)) {
    const written = `${key}: ${JSON.stringify(value)}`;
    binding.findings.add(
      "limit-unchecked",
      { ...where, rest: node, below: [key] },
      `REST limits ${where.coordinate} by ${written}, which cannot be read and is not checked`,
      "write it as JSON Schema has it: a pattern is ECMA-262 in Unicode mode",
      [written],
    );
  }
}
