/** The facts of an operation: where the call goes, what it must have, and what a missing thing becomes. */
import type { RestNode } from "../../openapi/document.ts";
import { answersOf, ownPath, type RestOperation } from "../../openapi/operation.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import { membersOf } from "../../standards/json-object.ts";
import { includes } from "../../standards/media-type.ts";
import { type Fact, fact } from "./fact.ts";
import type { Differing } from "./rest-change.ts";

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
const productName = (product: string | undefined): string =>
  product ? `the product ${product}` : "no product";

export const operationFacts: readonly Fact[] = [
  ofOperation(
    "rest-method-changed",
    "breaking",
    [],
    ({ method }) => method,
    (method) => `is a ${method?.toUpperCase()} now`,
  ),
  fact(
    ({ operation }) => [{ node: operation.node, value: ownPath(operation) }],
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
    (now, was) =>
      `is of ${productName(now)} now, it was of ${productName(was)}: its calls go to another upstream`,
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
    ({ operation }) => [{ node: operation.node, value: answersOf(operation).length > 0 }],
    (before, after) =>
      before && !after
        ? { rule: "rest-answer-removed", class: "breaking", phrase: "has no JSON answer now", before, after }
        : undefined,
  ),
];

const contentOf = ({ value }: RestNode): string[] => Object.keys(membersOf(membersOf(value).content));
