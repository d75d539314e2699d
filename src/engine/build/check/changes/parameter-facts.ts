/** The facts of a call's parameters: where each stands, how it is written, and what REST takes in place of a missing one. */
import { isNonNullType } from "graphql";
import { own } from "../../../shared/own.ts";
import { formProperties } from "../../bind/inputs/check-styles.ts";
import { formatSource } from "../../bind/inputs/input-source.ts";
import type { BoundField, Input, Model } from "../../bind/model.ts";
import { inputKey, methodAndPath } from "../../openapi/operation.ts";
import { differing } from "./change.ts";
import { type Fact, fact, type StatedFact } from "./fact.ts";

export const parameterFacts: readonly Fact[] = [
  fact(
    ({ inputs }) =>
      inputs.map((input) => ({
        key: `${input.name} ${formatSource(input.source)}`,
        node: input.node,
        below: ["in"],
        value: input.in,
      })),
    (was, is) =>
      was === is
        ? undefined
        : differing("rest-parameter-moved", `is ${partOf(is)} now, it was ${partOf(was)}`, was, is),
  ),
  fact(writtenParts, (was, is) =>
    was === is
      ? undefined
      : differing("rest-style-changed", `is written as ${is} now, it was ${was}`, was, is, {
          below: [was.split(",")[0] === is.split(",")[0] ? "explode" : "style"],
        }),
  ),
  fact(
    ({ operation, inputs }) =>
      operation.parameters.flatMap((parameter) => {
        const key = inputKey(parameter);
        const isSent = inputs.some((input) => inputKey(input) === key && isAlwaysSent(input));
        const value = parameter.shape.limits.default ?? null;
        return isSent ? [] : [{ key, node: parameter.node, below: ["schema", "default"], value }];
      }),
    (before, after) => {
      const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
      return was === is
        ? undefined
        : differing("rest-default-changed", `defaults to ${is} now, it was ${was}`, before, after);
    },
  ),
];

const partOf = (location: string): string =>
  location === "body" ? "a body property" : `a ${location} parameter`;

/** A client may leave an argument out: REST's own default counts then. */
const isAlwaysSent = ({ source, argumentDefault }: Input): boolean =>
  source.kind !== "argument" || isNonNullType(source.type) || argumentDefault !== undefined;

/** How the call writes its lists and objects (OpenAPI 3.1 §4.8.12). */
function writtenParts({ operation, inputs, wholeBody }: BoundField, model: Model): StatedFact<string>[] {
  const { style: styles = {} } = model.calledOperations.get(methodAndPath(operation)) ?? {};
  const sent = [...inputs, ...(wholeBody ? formProperties(operation) : [])];
  return sent.flatMap((input) => {
    const key = inputKey(input);
    const written = own(styles, key);
    const value = written && `${written.style}${written.explode ? ", exploded" : ""}`;
    return value === undefined ? [] : [{ key, node: input.node, below: ["style"], value }];
  });
}
