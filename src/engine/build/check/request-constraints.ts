/**
 * Demands of REST on requests. A demand breaks the saved operations that may fail it. An operation whose literals meet it is
 * untouched.
 */
import { type FieldNode, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import { addInputFields, withPossibleTypes } from "../../shared/selected-coordinates.ts";
import type { Model } from "../bind/model.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import type { Finding } from "./report.ts";
import { SentValues } from "./sent-values.ts";

/** given: a request has all that REST requires · allowed: REST takes the values that a request has. */
type Demand = "given" | "allowed";

/** What REST demands of requests now, where the literals of an operation may meet it. */
export function requestConstraint({ rule, direction }: Finding): Demand | undefined {
  if (rule === "input-enum" || rule === "constant-invalid") return "allowed";
  if (rule === "input-nullable") return "given";
  return direction === "request" ? demands.get(rule) : undefined;
}

const demands = new Map<string, Demand>([
  ["rest-enum-changed", "allowed"],
  ["rest-limit-changed", "allowed"],
  ["rest-required-changed", "given"],
]);

/**
 * Those of the coordinates at which a request of the operation may fail the demand, and the selected ones for which that
 * cannot be told. A request that leaves out an argument fails at a coordinate that the operation does not select.
 */
export function coordinatesViolating(
  demand: Demand,
  { schema, pairs, fields }: Model,
  operation: SavedOperation,
  coordinates: readonly string[],
  selected: ReadonlySet<string>,
): string[] {
  const values = new SentValues(pairs, operation, new Set(coordinates));
  const info = new TypeInfo(schema);
  const met = new Set<string>();
  const failed = new Set<string>();
  const enter = (node: FieldNode): void => {
    const parent = info.getParentType();
    for (const { name } of parent ? withPossibleTypes(schema, parent) : []) {
      const field = fields.get(`${name}.${node.name.value}`);
      if (field?.kind !== "bound") continue;
      const own = new Set(demand === "given" ? [field.coordinate] : []);
      for (const argument of info.getFieldDef()?.args ?? []) {
        own.add(`${field.coordinate}(${argument.name}:)`);
        addInputFields(argument.type, own);
      }
      if (!coordinates.some((each) => own.has(each))) continue;
      const isMet = demand === "given" ? values.areComplete(field, node) : values.areAllowed(field, node);
      for (const each of own) (isMet ? met : failed).add(each);
    }
  };
  visit(operation.document, visitWithTypeInfo(info, { Field: enter }));
  return coordinates.filter((each) => failed.has(each) || (selected.has(each) && !met.has(each)));
}
