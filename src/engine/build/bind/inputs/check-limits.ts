/** Reports the limits of REST on an input that are not checked before the call. */
import { invalidLimits, isPattern } from "../../openapi/shapes/limits.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import type { FindingTarget } from "../findings.ts";

/** An invalid limit, or a pattern that RE2 cannot run, is not checked before the call. REST may refuse the value. */
export function checkLimits(binder: Binder, where: FindingTarget, { limits, node }: Shape): void {
  for (const [key, value] of invalidLimits(limits)) {
    const at = { ...where, rest: node, below: [key] };
    const written = `${key}: ${JSON.stringify(value)}`;
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
        : "write it as JSON Schema has it: a pattern is ECMA-262 in Unicode mode",
      [written],
    );
  }
}
