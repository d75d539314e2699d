/**
 * The facts of each bound field that no proof sees, at the base and now. A field that is bound to another operation now has
 * `binding-changed` instead.
 */
import { boundFields, type Model } from "../../bind/model.ts";
import { isSameOperation } from "../../openapi/operation.ts";
import { operationFacts } from "./operation-facts.ts";
import { parameterFacts } from "./parameter-facts.ts";
import type { RestChange } from "./rest-change.ts";
import { securityFacts } from "./security-facts.ts";

const facts = [...operationFacts, ...parameterFacts, ...securityFacts];

export const factChanges = (base: Model, head: Model): RestChange[] =>
  boundFields(base).flatMap((old) => {
    const now = head.fields.get(old.coordinate);
    if (now?.kind !== "bound" || !isSameOperation(old.operation, now.operation)) return [];
    return facts.flatMap(({ read, judge }) => {
      const after = new Map(read(now, head).map((each) => [each.key, each]));
      return read(old, base).flatMap((was): RestChange[] => {
        const is = after.get(was.key);
        const found = is && judge(was.value, is.value);
        const below = found?.below ?? is?.below;
        return found
          ? [{ ...found, ...(below && { below }), coordinate: old.coordinate, old: was.node, new: is.node }]
          : [];
      });
    });
  });
