/** Binds `@restEntries`, which presents a REST map as a list of entries with `key` and `value`. */
import { entriesShape } from "../../openapi/shapes/map-entries.ts";
import { describeShape, isOnly } from "../../openapi/shapes/shape.ts";
import { type DirectiveCarrier, directiveLocation, showsEntries } from "../../schema/directives.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";
import type { ResponseValue } from "./response-value.ts";
import { entriesType } from "./type-expression.ts";

/** Returns `undefined` after reporting a value that is not a map. */
export function bindEntries(
  binder: Binder,
  where: FindingTarget,
  field: DirectiveCarrier,
  value: ResponseValue,
): ResponseValue | undefined {
  if (!showsEntries(binder.schema, field)) return value;
  const { shape, typeExpression } = value;
  const entries = entriesShape(shape);
  if (entries) return { ...value, shape: entries, typeExpression: entriesType(typeExpression) };
  binder.findings.add(
    "map-unfit",
    { ...where, schema: directiveLocation(field, "restEntries"), rest: shape.node },
    isOnly(shape, "object")
      ? `${where.coordinate} shows the entries of a map, but the document does not describe the values of this object`
      : `${where.coordinate} shows the entries of a map, but REST sends ${describeShape(shape)}`,
    isOnly(shape, "object")
      ? "document them as `additionalProperties`, in an overlay if the document is a vendor's; or remove @restEntries"
      : "remove @restEntries",
  );
  return undefined;
}
