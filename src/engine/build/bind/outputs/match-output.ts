/** Checks that a field's type covers its REST value: nullability, list depth, type, enum values. */
import {
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isAbstractType as isUnionOrInterface,
} from "graphql";
import { enumPath } from "../../openapi/shapes/enumeration.ts";
import { entriesShape } from "../../openapi/shapes/map-entries.ts";
import { describeShape, isOnly, unresolvedSchema } from "../../openapi/shapes/shape.ts";
import { enumValueDefinition, isIdName } from "../../schema/graphql-names.ts";
import type { Binder } from "../binder.ts";
import {
  enumConflictHint,
  enumNameConflicts,
  isStringEnum,
  settleEnumValues,
  uncoveredEnumValues,
} from "../enum-values.ts";
import type { FindingTarget } from "../findings.ts";
import { checkDateFormat, coveringType, exceedsInt, scalarCoversOutput } from "../scalar-rules.ts";
import { bindAbstract } from "./bind-abstract.ts";
import { type ResponseValue, statusSuffix } from "./response-value.ts";
import { itemType } from "./type-expression.ts";

export function matchOutput(
  binder: Binder,
  where: FindingTarget,
  type: GraphQLOutputType,
  value: ResponseValue,
): void {
  const { findings } = binder;
  const { level = 0 } = value;
  const mayBeNull = value.optional || value.shape.nullable || value.shape.types.size === 0;
  if (mayBeNull) binder.addNull({ ...where, rest: value.shape.node }, level);
  const at = { ...where, rest: value.shape.node, also: [where.rest] };
  if (isNonNullType(type)) {
    if (value.optional || value.shape.nullable) {
      const why = value.optional ? "REST may leave it out" : "REST may send null";
      findings.add(
        "output-nullable",
        { ...where, rest: where.rest ?? value.shape.node, also: [value.shape.node] },
        `${where.coordinate} is ${type}, but ${why}`,
        "drop the `!`, or make the REST value required and not nullable",
      );
    }
    return matchOutput(binder, where, type.ofType, value);
  }
  const isArray = value.shape.types.has("array");
  if (isListType(type)) {
    if (!isArray || value.shape.types.size > 1 || !value.shape.items)
      return addMismatch(binder, at, type, value);
    const items = value.shape.items;
    const typeExpression = binder.typeExpressionOf(items, itemType(value.typeExpression));
    const item = { shape: items, optional: false, typeExpression, level: level + 1 };
    return matchOutput(binder, { ...where, rest: items.node }, type.ofType, item);
  }
  if (isArray && !(isScalarType(type) && scalarCoversOutput(type, value.shape)))
    return addMismatch(binder, at, type, value);
  return matchNamed(binder, where, type, value);
}

function matchNamed(
  binder: Binder,
  where: FindingTarget,
  type: GraphQLOutputType,
  value: ResponseValue,
): void {
  const { findings, names } = binder;
  const { coordinate, rest: node = value.shape.node } = where;
  const at = { ...where, rest: value.shape.node, also: [where.rest] };
  // `check --base` does not compare enums and objects, because this function checks them completely
  if (isScalarType(type) || isUnionOrInterface(type))
    binder.addValue({ coordinate, direction: "response", type, node, shape: value.shape });
  if (isScalarType(type)) {
    if (!scalarCoversOutput(type, value.shape)) return addMismatch(binder, at, type, value);
    checkDateFormat(binder, { where: at, type, shape: value.shape, verb: "sends" });
    // Float rounds integers beyond 2^53; a rounded measurement is still useful, but a rounded id belongs to another record
    const isRounded = type.name === "Float" && isIdName(where.coordinate.replace(/^.*\./, ""));
    if ((type.name === "Int" || isRounded) && value.shape.types.has("integer") && exceedsInt(value.shape)) {
      findings.add(
        "output-int64",
        at,
        `${where.coordinate} is ${type.name}, but REST sends ${describeShape(value.shape)}, which ${isRounded ? "a Float rounds beyond 2^53" : "does not fit 32 bits"}`,
        `use ID, which is exact${isRounded ? "" : ", or Float"}`,
      );
    }
  } else if (isEnumType(type)) {
    if (!isStringEnum(value.shape)) return addMismatch(binder, at, type, value);
    settleEnumValues(names, type, value.shape, where.coordinate);
    const conflicts = enumNameConflicts(names, type, value.shape, where.coordinate);
    for (const { rest, message } of conflicts)
      findings.add(
        "output-enum",
        { ...at, below: enumPath(value.shape.node.value, rest) },
        message,
        enumConflictHint,
      );
    const missing = uncoveredEnumValues(names, type, value.shape).filter((name) =>
      conflicts.every(({ rest }) => rest !== name),
    );
    const [first] = missing;
    if (first !== undefined) {
      findings.add(
        "output-enum",
        { ...at, below: enumPath(value.shape.node.value, first) },
        `${type} has no value for ${missing.map((name) => `"${name}"`).join(", ")}, which REST may send at ${where.coordinate}`,
        `add it to enum ${type}: ${missing.map((each) => enumValueDefinition(each, value.shape.values)).join(", ")}`,
      );
    }
  } else if (isObjectType(type)) {
    if (!isOnly(value.shape, "object")) return addMismatch(binder, at, type, value);
    binder.addBacking(type.name, { ...value, from: where.coordinate });
  } else if (isUnionOrInterface(type)) {
    bindAbstract(binder, at, type, value);
  }
}

const undescribed =
  "a custom scalar accepts any value; or document its type, in an overlay if the document is a vendor's";

function describeType(type: GraphQLOutputType): string {
  if (isEnumType(type)) return `the enum ${type}`;
  return isObjectType(type) ? `the object ${type}` : String(type);
}

function addMismatch(
  binder: Binder,
  where: FindingTarget,
  type: GraphQLOutputType,
  value: ResponseValue,
): void {
  const { shape } = value;
  if (shape.node.value === unresolvedSchema) return;
  const sent = shape.types.size === 0 ? undescribed : coveringType(shape);
  const isArray = shape.types.has("array");
  const isMap = isListType(type) && !isArray && entriesShape(shape) !== undefined;
  const isOfLists = isListType(type) || isArray;
  binder.findings.add(
    isOfLists ? "output-list" : "output-type",
    where,
    `${where.coordinate} is ${isOfLists ? type : describeType(type)}, but REST sends ${describeShape(shape)}${statusSuffix(value)}`,
    isMap
      ? "add @restEntries: the field then is the list of the map's entries, each with a `key` and a `value`"
      : `give the field the type that REST sends${sent === undefined ? "" : `: ${sent}`}`,
  );
}
