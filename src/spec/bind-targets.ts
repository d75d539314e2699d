/** What an operation takes: its parameters and the properties of its JSON body, found by REST name. */
import { didYouMean } from "./findings.ts";
import { inputKey, type Location, type RestOperation } from "./operations.ts";
import type { RestNode } from "./rest-document.ts";
import type { Shape } from "./shape.ts";

export type Target = {
  readonly name: string;
  readonly in: Location;
  readonly required: boolean;
  readonly shape: Shape;
  readonly node: RestNode;
  /** A body property that stands in answers alone. */
  readonly isReadOnly?: true;
  /** Required by name only: nothing can be said to fit it. */
  readonly isUndeclared?: true;
};

export function targetsOf(operation: RestOperation): Target[] {
  const { body } = operation;
  const properties = body ? [...body.shape.properties.values()] : [];
  return [
    ...operation.parameters,
    ...properties.map((property) => ({
      name: property.name,
      in: "body" as const,
      required: property.required && property.only !== "answer" && body?.required === true,
      shape: property.shape,
      node: property.node,
      ...(property.only === "answer" && { isReadOnly: true as const }),
      ...(property.isUndeclared && { isUndeclared: property.isUndeclared }),
    })),
  ];
}

/** That nothing has this name there, with what may be meant: the same name in another place, or the nearest. */
export function noTarget(
  { id }: RestOperation,
  targets: readonly Target[],
  name: string,
  location?: Location,
): string {
  const [other] = findTargets(targets, name);
  const near = didYouMean(
    name,
    targets.map((target) => target.name),
  );
  const meant = other ? `; "${other.name}" is in ${other.in}` : near;
  return `${id} has no ${location ? `${location} ` : ""}parameter "${name}"${meant}`;
}

/** All targets of this REST name (a header's in any case), in the given location or in any. */
export const findTargets = (targets: readonly Target[], name: string, location?: Location): Target[] =>
  targets.filter(
    (target) =>
      !target.isUndeclared &&
      (!location || target.in === location) &&
      inputKey(target) === inputKey({ name, in: target.in }),
  );
