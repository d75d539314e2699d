/** Each required parameter and body property of an operation has something that feeds it. */

import type { Target } from "./bind-targets.ts";
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import type { Where } from "./findings.ts";
import type { InputSource } from "./model.ts";
import { inputKey } from "./operations.ts";
import type { Property } from "./shape.ts";

/** What feeds what, and where that is written. */
export type Fed = { readonly target: Target; readonly source: InputSource; readonly where: Where };

export function checkRequired(
  binding: Binding,
  bound: Bound,
  targets: Target[],
  fed: readonly Fed[],
  hasBody: boolean,
): void {
  const { operation, where } = bound;
  const keys = new Set(fed.map(({ target }) => inputKey(target)));
  const touchesBody = fed.some(({ target }) => target.in === "body");
  const unfed = targets.filter(
    (target) =>
      !keys.has(inputKey(target)) &&
      (target.in === "body" ? !hasBody && isNeeded(bound, target, touchesBody) : target.required),
  );
  for (const target of unfed) {
    const kind = target.in === "body" ? "body property" : `${target.in} parameter`;
    binding.findings.add(
      "parameter-unfed",
      { ...where, rest: target.node },
      `${operation.id} requires the ${kind} "${target.name}", and nothing feeds it`,
      `add an argument "${target.name}", or feed it with params`,
    );
  }
  const { body } = operation;
  if (body?.required && body.shape.properties.size === 0 && !hasBody && !touchesBody) {
    binding.findings.add(
      "parameter-unfed",
      { ...where, rest: body.node },
      `${operation.id} requires a body, and nothing feeds it`,
      'feed it with `body: "args.…"`',
    );
  }
}

/** A property that an optional body requires is needed once any other property of it is fed. */
const isNeeded = (bound: Bound, target: Target, touchesBody: boolean): boolean =>
  target.required || (touchesBody && isDemanded(bound.operation.body?.shape.properties.get(target.name)));

const isDemanded = (property: Property | undefined): boolean =>
  property?.required === true && property.only !== "answer";
