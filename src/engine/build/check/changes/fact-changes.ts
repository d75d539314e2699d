/**
 * Compares the `Fact`s of each bound field with those of the base. Skips a field that is now bound to another operation,
 * because `binding-changed` reports it.
 */
import { boundFields, type Model } from "../../bind/model.ts";
import { isSameOperation } from "../../openapi/operation.ts";
import { type Difference, restChange } from "./change.ts";
import { operationFacts, parameterFacts } from "./operation-facts.ts";
import { securityFacts } from "./security-facts.ts";

const facts = [...operationFacts, ...parameterFacts, ...securityFacts];

export const factChanges = (base: Model, head: Model): Difference[] =>
  boundFields(base).flatMap((old) => {
    const now = head.fields.get(old.coordinate);
    if (now?.kind !== "bound" || !isSameOperation(old.operation, now.operation)) return [];
    return facts.flatMap(({ read, judge }) => {
      const after = new Map(read(now, head).map((each) => [each.key, each]));
      return read(old, base).flatMap((was): Difference[] => {
        const is = after.get(was.key);
        const found = is && judge(was.value, is.value);
        if (!found) return [];
        const differing = { ...(is.below && { below: is.below }), ...found };
        const rest = { old: was.node, new: is.node };
        return [restChange(base, head, differing, { coordinate: old.coordinate, rest })];
      });
    });
  });
