/**
 * The facts of a bound field that no proof sees, each with the words for another value: where the call goes, what it must
 * have, what a missing thing becomes. A field that is bound to another operation now has `binding-changed` instead.
 */
import { isNonNullType } from "graphql";
import { formProperties } from "../../bind/inputs/check-styles.ts";
import { sourceOf } from "../../bind/inputs/input-source.ts";
import { type BoundField, boundFields, type Input, type Model } from "../../bind/model.ts";
import type { RestNode } from "../../openapi/document.ts";
import { answersOf, inputKey, methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import { membersOf } from "../../standards/json-object.ts";
import { includes } from "../../standards/media-type.ts";
import type { Differing, RestChange } from "./rest-change.ts";
import { credentialsOf, judgeCredential, judgeRequirement, requirementOf } from "./security-facts.ts";

/** A fact and the place where the document states it. `key` tells facts of one kind apart: a parameter, a scheme. */
export type Stated<V> = {
  readonly key?: string;
  readonly node: RestNode;
  readonly below?: NodePath;
  readonly value: V;
};

type Fact = {
  readonly read: (field: BoundField, model: Model) => readonly Stated<unknown>[];
  readonly judge: (before: unknown, after: unknown) => Differing | undefined;
};

const fact = <V>(
  read: (field: BoundField, model: Model) => readonly Stated<V>[],
  judge: (before: V, after: V) => Differing | undefined,
): Fact => ({ read, judge: judge as Fact["judge"] });

/** A fact of the operation. Any other value is a change. */
const ofOperation = (
  rule: Differing["rule"],
  kind: Differing["class"],
  below: NodePath,
  value: (operation: RestOperation) => string | undefined,
  phrase: (after: string | undefined, before: string | undefined) => string,
): Fact =>
  fact(
    ({ operation }) => [{ node: operation.node, below, value: value(operation) }],
    (before, after) =>
      before === after
        ? undefined
        : { rule, class: kind, phrase: phrase(after, before), before: before ?? null, after: after ?? null },
  );

/** The names in a path's template may be others: the address is the same. */
const addressOf = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, "{}");
const tagOf = (product: string | undefined): string => (product ? `the tag ${product}` : "no tag");

const facts: readonly Fact[] = [
  ofOperation(
    "rest-method-changed",
    "breaking",
    [],
    ({ method }) => method,
    (method) => `is a ${method?.toUpperCase()} now`,
  ),
  fact(
    ({ operation }) => [{ node: operation.node, value: operation.path }],
    (before, after) =>
      addressOf(before) === addressOf(after)
        ? undefined
        : {
            rule: "rest-operation-moved",
            class: "breaking",
            phrase: `stands at ${after} now`,
            before,
            after,
          },
  ),
  ofOperation(
    "rest-product-changed",
    "dangerous",
    ["tags"],
    ({ product }) => product,
    (now, was) => `has ${tagOf(now)} now, it had ${tagOf(was)}: its calls go to that product's upstream`,
  ),
  ofOperation(
    "rest-permission-changed",
    "dangerous",
    ["x-permission"],
    ({ permission }) => permission,
    (now, was) => `needs ${now ?? "no permission"} now, it needed ${was ?? "none"}`,
  ),
  fact(
    ({ operation, nullOn404 }) => [
      {
        node: operation.node,
        below: ["responses", "404"],
        value: { documented: operation.statuses.includes("404"), nullOn404 },
      },
    ],
    (was, is) =>
      was.documented === is.documented || !(was.nullOn404 || is.nullOn404)
        ? undefined
        : {
            rule: "rest-not-found-changed",
            class: "dangerous",
            phrase: is.documented
              ? "documents 404 now: what is not there is null, and was an error"
              : "no longer documents 404: what is not there is an error, and was null",
            before: was.documented,
            after: is.documented,
          },
  ),
  fact(
    ({ operation: { body, node } }) =>
      body
        ? [{ node, below: ["requestBody"], value: { media: body.media, content: contentOf(body.node) } }]
        : [],
    ({ media: was }, { media: is, content }) =>
      content.some((range) => includes(range, was))
        ? undefined
        : {
            rule: "rest-body-changed",
            class: "breaking",
            phrase: `takes a body in ${is} now, it was ${was}`,
            before: was,
            after: is,
          },
  ),
  fact(
    ({ inputs }) =>
      inputs.map((input) => ({
        key: `${input.name} ${sourceOf(input.source)}`,
        node: input.node,
        below: ["in"],
        value: input.in,
      })),
    (before, after) =>
      before === after
        ? undefined
        : {
            rule: "rest-parameter-moved",
            class: "breaking",
            phrase: `is ${partOf(after)} now, it was ${partOf(before)}`,
            before,
            after,
          },
  ),
  fact(writtenParts, (was, is) =>
    was === is
      ? undefined
      : {
          rule: "rest-style-changed",
          class: "breaking",
          phrase: `is written as ${is} now, it was ${was}`,
          before: was,
          after: is,
          below: [was.split(",")[0] === is.split(",")[0] ? "explode" : "style"],
        },
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
      if (was === is) return undefined;
      const phrase = `defaults to ${is} now, it was ${was}`;
      return { rule: "rest-default-changed", class: "dangerous", phrase, before, after };
    },
  ),
  fact(
    ({ operation }) => [{ node: operation.node, value: answersOf(operation).length > 0 }],
    (before, after) =>
      before && !after
        ? { rule: "rest-answer-removed", class: "breaking", phrase: "has no JSON answer now", before, after }
        : undefined,
  ),
  fact(requirementOf, judgeRequirement),
  fact(credentialsOf, judgeCredential),
];

const contentOf = ({ value }: RestNode): string[] => Object.keys(membersOf(membersOf(value).content));
const partOf = (location: string): string =>
  location === "body" ? "a body property" : `a ${location} parameter`;

/** A client may leave an argument out: REST's own default counts then. */
const isAlwaysSent = ({ source, argumentDefault }: Input): boolean =>
  source.kind !== "argument" || isNonNullType(source.type) || argumentDefault !== undefined;

/** How the call writes its lists and objects (OpenAPI 3.1 §4.8.12). */
function writtenParts({ operation, inputs, wholeBody }: BoundField, model: Model): Stated<string>[] {
  const { style: styles = {} } = model.calledOperations.get(methodAndPath(operation)) ?? {};
  const sent = [...inputs, ...(wholeBody ? formProperties(operation) : [])];
  return sent.flatMap((input) => {
    const key = inputKey(input);
    const { [key]: written } = styles;
    const value = written && `${written.style}${written.explode ? ", exploded" : ""}`;
    return value === undefined ? [] : [{ key, node: input.node, below: ["style"], value }];
  });
}

/** Whether both are bound to one operation, which keeps its `operationId`, or its method and path. */
export const isSameOperation = (one: BoundField, other: BoundField): boolean =>
  one.operation.id === other.operation.id || methodAndPath(one.operation) === methodAndPath(other.operation);

export const factChanges = (base: Model, head: Model): RestChange[] =>
  boundFields(base).flatMap((old) => {
    const now = head.fields.get(old.coordinate);
    if (now?.kind !== "bound" || !isSameOperation(old, now)) return [];
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
