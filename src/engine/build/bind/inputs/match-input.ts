/** Checks that a parameter accepts the GraphQL type that feeds it: type, list depth, enum values and required properties. */
import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
} from "graphql";
import { invalidLimits, isPattern } from "../../openapi/shapes/limits.ts";
import {
  declaredProperty,
  describeShape,
  isOnly,
  isRequiredOfRequest,
  type Shape,
  type Variants,
} from "../../openapi/shapes/shape.ts";
import { nodeLocation } from "../../schema/directives.ts";
import { enumValueDefinition, enumValueName } from "../../schema/graphql-names.ts";
import type { Binder } from "../binder.ts";
import { enumConflictHint, enumNameConflicts, rejectedEnumValues, settleEnumValues } from "../enum-values.ts";
import type { FindingTarget } from "../findings.ts";
import { checkDateFormat, scalarFitsInput } from "../scalar-rules.ts";
import { variantName } from "../variant-names.ts";
import { checkConditions, sentOf } from "./check-conditions.ts";
import { rejectionReason } from "./check-constants.ts";
import type { InputPair } from "./input-pairs.ts";
import { isNullableInput } from "./input-source.ts";
import { type OneOfMember, unboundRequiredProperties } from "./one-of-member.ts";

/** An argument, an item of its list, or one of its input fields, with the schema of its REST value. */
type InputValue<Type = GraphQLInputType> = {
  readonly where: FindingTarget;
  readonly type: Type;
  readonly shape: Shape;
  /**
   * The pairs of input type and REST object that contain this value. They are not compared again, because types may be recursive.
   */
  readonly enclosing?: readonly InputPair[];
};

export function matchInput(binder: Binder, value: InputValue): void {
  const { where, type, shape } = value;
  const { coordinate, rest: node = shape.node } = where;
  binder.addValue({ coordinate, direction: "request", type, node, shape });
  const { errorCount } = binder.findings;
  matchNullable(binder, { ...value, type: getNullableType(type) });
  // an error inside the value already explains why REST rejects it
  if (binder.findings.errorCount === errorCount)
    checkConditions(binder, where, shape, sentOf(binder.pairs, type, shape));
}

function matchNullable(binder: Binder, value: InputValue): void {
  const { where, type, shape, enclosing } = value;
  checkLimits(binder, where, shape);
  if (shape.contradiction && !isCustomScalar(type)) return addMismatch(binder, where, type, shape);
  const isArray = isOnly(shape, "array");
  if (isListType(type) !== isArray && shape.types.size > 0 && !isCustomScalar(type)) {
    return addMismatch(binder, where, type, shape);
  }
  if (isListType(type)) {
    if (!shape.items) return;
    if (!isNonNullType(type.ofType) && !shape.items.nullable && shape.items.types.size > 0) {
      binder.findings.add(
        "input-nullable",
        where,
        `items of ${type} may be null, but REST does not accept null`,
        `write [${type.ofType}!]`,
      );
    }
    const at = { ...where, rest: shape.items.node };
    return matchInput(binder, { where: at, type: type.ofType, shape: shape.items, enclosing });
  }
  if (isScalarType(type) && !scalarFitsInput(type, shape)) return addMismatch(binder, where, type, shape);
  if (isScalarType(type)) checkDateFormat(binder, { where, type, shape, verb: "takes" });
  if (isEnumType(type)) matchEnum(binder, where, type, shape);
  if (isInputObjectType(type)) matchInputObject(binder, { where, type, shape, enclosing });
}

function matchEnum(binder: Binder, where: FindingTarget, type: GraphQLEnumType, shape: Shape): void {
  if (shape.types.size > 0 && !shape.types.has("string") && !shape.types.has("integer"))
    return addMismatch(binder, where, type, shape);
  const at = where.subject ?? where.coordinate;
  settleEnumValues(binder.names, type, shape, at);
  const conflicts = enumNameConflicts(binder.names, type, shape, at);
  const target = { ...where, rest: shape.node, also: [where.rest], below: ["enum"] };
  for (const { message } of conflicts) binder.findings.add("input-enum", target, message, enumConflictHint);
  const wrong = rejectedEnumValues(binder.names, type, shape).filter((name) =>
    conflicts.every((conflict) => conflict.name !== name),
  );
  if (wrong.length === 0) return;
  const values = new Map(
    shape.values?.map((value) => [enumValueName(String(value)), value] as const).reverse(),
  );
  const renamed = wrong.flatMap((name) => values.get(name) ?? []);
  const such = renamed.map((value) => enumValueDefinition(String(value), shape.values)).join(", ");
  binder.findings.add(
    "input-enum",
    target,
    `REST rejects ${wrong.map((name) => `${type}.${name}`).join(", ")} at ${at}`,
    `remove it from ${type}, or give it the REST name with @restName${such && `: ${such}`}`,
  );
}

const isCustomScalar = (type: GraphQLInputType): boolean =>
  isScalarType(type) && !isSpecifiedScalarType(type);

function matchInputObject(
  binder: Binder,
  { where, type, shape: written, enclosing = [] }: InputValue<GraphQLInputObjectType>,
): void {
  const pair = binder.pairs.of(type, written);
  const { shape, fields, choosesFrom } = pair;
  if (!choosesFrom && written.types.size > 0 && !written.types.has("object"))
    return addMismatch(binder, where, type, written);
  if (enclosing.includes(pair)) return;
  const fed = new Set<string>();
  for (const { field, name, property: found, choice } of fields) {
    const property = found?.isUndeclared ? undefined : found;
    const at = {
      coordinate: `${type.name}.${field.name}`,
      schema: nodeLocation(field.astNode),
      rest: property?.node ?? shape.node,
    };
    fed.add(name);
    if (choosesFrom && !choice) {
      addNoMember(binder, at, field, choosesFrom);
      continue;
    }
    if (choice) checkOneOfMember(binder, at, choice);
    if (!property) {
      addMissing(binder, at, shape, name);
      continue;
    }
    if (property.only === "response") {
      rejectReadOnly(binder, at, name);
      continue;
    }
    if (property.required && isNullableInput(field)) {
      binder.findings.add(
        "input-nullable",
        at,
        `${at.coordinate} may be null, but REST requires "${name}"`,
        "make the input field non-null, or give it a default",
      );
    }
    matchInput(binder, {
      where: at,
      type: field.type,
      shape: property.shape,
      enclosing: [...enclosing, pair],
    });
  }
  if (shape === written) checkMembers(binder, { where, type, shape }, fed);
  for (const property of shape.properties.values()) {
    if (isRequiredOfRequest(property) && !fed.has(property.name)) {
      binder.findings.add(
        "parameter-unfed",
        { ...where, rest: property.node },
        `REST requires the property "${property.name}" of ${type}, and ${property.isUndeclared ? "declares no such property" : "nothing feeds it"}`,
        property.isUndeclared ? declareIt : `add it to input ${type}`,
      );
    }
  }
}

const declareIt = "declare it below `properties`, in an overlay if the document is a vendor's";

function addMissing({ findings }: Binder, where: FindingTarget, shape: Shape, name: string): void {
  const add = (message: string, hint: string): void => findings.add("property-missing", where, message, hint);
  if (shape.properties.has(name))
    return add(`REST requires the property "${name}", and declares no such property`, declareIt);
  const { members = [] } = shape;
  if (members.some((member) => declaredProperty(member, name)))
    return add(
      `REST takes one of ${members.length} objects, and none has "${name}" and all other fields of the input`,
      "take one of the objects, or a custom scalar, which passes unchanged",
    );
  add(
    `REST takes no property "${name}"${findings.didYouMean(name, () => [...shape.properties.keys()])}`,
    "remove the input field, or name its property with @restName",
  );
}

/** Checks that the input fields feed all required properties of at least one of REST's alternative objects. */
function checkMembers(
  binder: Binder,
  { where, type, shape }: InputValue<GraphQLInputObjectType>,
  fed: ReadonlySet<string>,
): void {
  const { members = [] } = shape;
  const unfed = members.map((member) => unboundRequiredProperties(member, fed));
  if (unfed.length === 0 || unfed.some((names) => names.length === 0)) return;
  binder.findings.add(
    "parameter-unfed",
    { ...where, rest: shape.node },
    `REST takes one of ${members.length} objects, and each requires a property that ${type} does not feed: ${[...new Set(unfed.flat())].join(", ")}`,
    "take it as a custom scalar, which passes unchanged",
  );
}

export const rejectReadOnly = (binder: Binder, where: FindingTarget, name: string): void =>
  binder.findings.add(
    "property-missing",
    where,
    `REST never takes the property "${name}": it is readOnly`,
    "remove what feeds it",
  );

function addMismatch(binder: Binder, where: FindingTarget, type: GraphQLInputType, shape: Shape): void {
  const message = `${where.subject ?? where.coordinate} is ${type}, but REST takes ${describeShape(shape)}`;
  const at = { ...where, rest: shape.node, also: [where.rest] };
  const hint = shape.contradiction
    ? "correct the document by an overlay, or remove it from the schema: REST rejects every value"
    : "give the argument the type that REST takes";
  binder.findings.add("input-type", at, message, hint);
}

/** Reports limits that only REST can check: invalid ones, and patterns that RE2 does not support. */
function checkLimits(binder: Binder, where: FindingTarget, { limits, node }: Shape): void {
  for (const [key, value] of invalidLimits(limits)) {
    const written = `${key}: ${JSON.stringify(value)}`;
    const at = { ...where, rest: node, below: [key], facts: [written] };
    const isRead = key === "pattern" && isPattern(value);
    const why = isRead
      ? "RE2 cannot run in linear time: REST alone checks it"
      : "cannot be read and is not checked";
    binder.findings.add(
      isRead ? "pattern-unchecked" : "limit-unchecked",
      at,
      `REST limits ${where.coordinate} by ${written}, which ${why}`,
      isRead
        ? "write it without lookaround, back-references, flags and counts above 1000, or approve it"
        : "write it as JSON Schema requires: a pattern is an ECMA-262 expression, from OpenAPI 3.1 on in Unicode mode",
    );
  }
}

/** Maximum number of members that advice lists. */
const mostNamed = 10;

function addNoMember(
  { findings }: Binder,
  where: FindingTarget,
  { name }: GraphQLInputField,
  { members }: Variants,
): void {
  const names = members.map(variantName);
  const more = names.length > mostNamed ? `, ${names.length - mostNamed} more` : "";
  findings.add(
    "property-missing",
    where,
    `REST takes one of ${names.length} values, and ${where.coordinate} matches none of them${findings.didYouMean(name, () => names)}`,
    `name it after one of ${names.slice(0, mostNamed).join(", ")}${more}, with @restName, or after the one property that one of them needs`,
  );
}

function checkOneOfMember({ findings }: Binder, where: FindingTarget, choice: OneOfMember): void {
  const { member, chosenBy } = choice;
  if (!chosenBy) return;
  const declared = declaredProperty(member.shape, chosenBy.name);
  const own = `${variantName(member)}, which REST identifies by "${chosenBy.name}": ${member.values.join(" or ") || "no value"}`;
  const at = { ...where, rest: declared?.node ?? member.node };
  const isAlways =
    declared?.required && declared.shape.values?.every((value) => member.values.includes(String(value)));
  if (chosenBy.isBound && !isAlways)
    findings.add(
      "parameter-fed-twice",
      at,
      `${where.coordinate} sends ${own}, and its own "${chosenBy.name}" may have another value, or none`,
      `remove the input field that feeds "${chosenBy.name}": the value is sent without it`,
    );
  if (chosenBy.isBound) return;
  if (chosenBy.value === undefined)
    findings.add(
      "parameter-unfed",
      at,
      `${where.coordinate} sends ${own}, and nothing selects one`,
      member.values.length > 1
        ? "name the field after one of these values, with @restName"
        : "give the member a value in the mapping of REST's `discriminator`",
    );
  else if (declared && rejectionReason(declared.shape, chosenBy.value) !== undefined)
    findings.add(
      "constant-invalid",
      at,
      `${where.coordinate} sends ${own}, and ${variantName(member)} itself does not take "${chosenBy.value}"`,
      "fix the mapping of REST's `discriminator`, in an overlay if the document is a vendor's",
    );
}
