/** Facts about a REST operation: where calls are sent, what they must contain, and what a 404 means. */
import { type GraphQLSchema, getNullableType, isListType, isNonNullType } from "graphql";
import { membersOf } from "../../../shared/json-object.ts";
import { includes } from "../../../shared/media-type.ts";
import { own } from "../../../shared/own.ts";
import { formProperties } from "../../bind/inputs/check-styles.ts";
import { formatSource } from "../../bind/inputs/input-source.ts";
import type { BoundField, Input, Model } from "../../bind/model.ts";
import { describeMembers, errorSchemas, memberPaths } from "../../bind/outputs/error-members.ts";
import { findPagingSign } from "../../bind/outputs/unpaged-list.ts";
import type { NodePath } from "../../diagnostic.ts";
import type { RestNode } from "../../openapi/document.ts";
import { baseUrlVariable } from "../../openapi/document-files.ts";
import {
  documents404,
  inputKey,
  methodAndPath,
  ownPath,
  type RestOperation,
  sentMethod,
  showableResponses,
} from "../../openapi/operation.ts";
import { serverUrl } from "../../openapi/server-url.ts";
import { elementAt } from "../../schema/schema-coordinate.ts";
import { type Differing, differing } from "./change.ts";
import { type Fact, fact, type StatedFact } from "./fact.ts";

/** A fact with one value per operation, reported whenever the value changes. */
const ofOperation = (
  rule: Differing["rule"],
  below: NodePath,
  value: (operation: RestOperation) => string | undefined,
  phrase: (after: string | undefined, before: string | undefined) => string,
): Fact =>
  fact(
    ({ operation }) => [{ node: operation.node, below, value: value(operation) }],
    (was, is) =>
      was === is ? undefined : differing(rule, phrase(is, was), { before: was ?? null, after: is ?? null }),
  );

/** Removes the parameter names from a path, because they do not affect the URL. */
export const addressOf = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, "{}");

/**
 * Describes a moved path as `/v3 to /v4`. Omits the common suffix, so that operations that moved together get the same
 * text.
 */
function movedPart(was: string, is: string): string {
  const one = addressOf(was).split("/");
  const other = addressOf(is).split("/");
  while (one.length > 1 && other.length > 1 && one.at(-1) === other.at(-1)) {
    one.pop();
    other.pop();
  }
  return [one, other].map((steps) => steps.join("/") || "/").join(" to ");
}

const productName = (product: string | undefined): string =>
  product ? `the product ${product}` : "no product";

export const operationFacts: readonly Fact[] = [
  ofOperation(
    "rest-method-changed",
    [],
    ({ method }) => method,
    (method) => `is a ${sentMethod(method ?? "")} now`,
  ),
  fact(
    ({ operation }) => [{ node: operation.node, value: ownPath(operation) }],
    (was, is) =>
      addressOf(was) === addressOf(is)
        ? undefined
        : differing("rest-operation-moved", `is at ${is} now`, {
            before: was,
            after: is,
            cause: movedPart(was, is),
          }),
  ),
  ofOperation(
    "rest-product-changed",
    ["tags"],
    ({ product }) => product,
    (now, was) =>
      `is of ${productName(now)} now, it was of ${productName(was)}: its calls go to another upstream`,
  ),
  fact(
    ({ operation: { root } }, { document }) => {
      const url = serverUrl(document, root)?.replace(/\/$/, "");
      return [
        { node: root, below: ["servers", 0, "url"], value: { url, variable: baseUrlVariable(root.name) } },
      ];
    },
    ({ url: was }, { url: is, variable }) =>
      was === undefined || is === undefined || was === is
        ? undefined
        : differing(
            "rest-server-changed",
            `is of ${is} now, it was of ${was}: calls go where ${variable} says`,
            {
              before: was,
              after: is,
            },
          ),
  ),
  ofOperation(
    "rest-permission-changed",
    ["x-permission"],
    ({ permission }) => permission,
    (now, was) => `needs ${now ?? "no permission"} now, it needed ${was ?? "none"}`,
  ),
  fact(
    ({ operation, nullOn404 }) => [
      {
        node: operation.node,
        below: ["responses", "404"],
        value: { documented: documents404(operation), nullOn404 },
      },
    ],
    ({ documented: was, ...old }, { documented: is, nullOn404 }) => {
      if (was === is || !(old.nullOn404 || nullOn404)) return undefined;
      const phrase = is
        ? "documents 404 now: a missing object is null, before it was an error"
        : "no longer documents 404: a missing object is an error, before it was null";
      return differing("rest-not-found-changed", phrase, { before: was, after: is });
    },
  ),
  fact(
    ({ operation }, { document, held }) =>
      [
        ...Map.groupBy(held.has(operation) ? [] : errorSchemas(document, operation), ({ status }) => status),
      ].flatMap(([status, [first, ...others]]) => {
        if (!first) return [];
        const texts = new Set([first, ...others].map(describeMembers).filter((text) => text !== ""));
        return [{ key: `error ${status}`, node: first.shape.node, value: [...texts].join(" or ") }];
      }),
    (was, is) =>
      was === is ? undefined : differing("rest-error-changed", toldNow(was, is), { before: was, after: is }),
  ),
  fact(
    // if the server supplies the credential, clients see only the error members that `spec/credentials.yaml` lists
    ({ operation }, { calledOperations, held }) => {
      const { errors = [] } = calledOperations.get(methodAndPath(operation)) ?? {};
      const text = [...new Set(errors.flatMap(memberPaths))].sort().join(", ");
      return [{ key: "listed", node: operation.node, value: { text, isHeld: held.has(operation) } }];
    },
    (was, is) =>
      (was.isHeld || is.isHeld) && was.text !== is.text
        ? differing("rest-error-changed", toldNow(was.text, is.text), { before: was.text, after: is.text })
        : undefined,
  ),
  fact(
    ({ operation, nullOn404 }, { document, held }) => {
      if (held.has(operation)) return [];
      const all = errorSchemas(document, operation);
      const statuses = all.map(({ status }) => status);
      const shown = all.filter((schema) => describeMembers(schema) !== "").map(({ status }) => status);
      return [
        { key: "errors", node: operation.node, below: ["responses"], value: { statuses, shown, nullOn404 } },
      ];
    },
    ({ shown, nullOn404 }, { statuses }) => {
      const isReported = (status: string): boolean => status === "404" && nullOn404; // reported by `rest-not-found-changed`
      const gone = shown.filter((status) => !statuses.includes(status) && !isReported(status));
      const phrase = `documents no body of ${gone.join(", ")} any more, whose text clients see`;
      return gone.length === 0
        ? undefined
        : differing("rest-error-changed", phrase, { before: gone, after: [] });
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
        : differing("rest-body-changed", `takes a body in ${is} now, it was ${was}`, {
            before: was,
            after: is,
          }),
  ),
  fact(
    ({ operation }) => [{ node: operation.node, value: showableResponses(operation).length > 0 }],
    (was, is) =>
      was && !is
        ? differing("rest-answer-removed", "has no JSON response now", { before: was, after: is })
        : undefined,
  ),
  fact(
    (field, { schema }) => {
      if (!readsWholeList(field, schema)) return [];
      const sign = findPagingSign(field.operation);
      return [{ node: sign?.node ?? field.operation.node, value: sign?.text }];
    },
    (was, is) =>
      was || !is
        ? undefined
        : differing("rest-list-paged", `may return a page now instead of the whole list: it has ${is}`, {
            before: null,
            after: is,
          }),
  ),
];

/** Whether the field is a list without paging. Batched lists are left to the rule `batch-paged`. */
const readsWholeList = ({ coordinate, connection, batch }: BoundField, schema: GraphQLSchema): boolean =>
  !connection && !batch && isListType(getNullableType(elementAt(schema, coordinate)?.type));

const toldNow = (was: string, is: string): string =>
  is === ""
    ? `tells clients nothing now, it was ${was}`
    : `tells clients ${is} now, it was ${was || "nothing"}`;

const contentOf = ({ value }: RestNode): string[] => Object.keys(membersOf(membersOf(value).content));

/** Facts about parameters: location, serialization style, and the default that REST uses for an omitted parameter. */
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
        : differing("rest-parameter-moved", `is ${partOf(is)} now, it was ${partOf(was)}`, {
            before: was,
            after: is,
          }),
  ),
  fact(writtenParts, (was, is) =>
    was === is
      ? undefined
      : differing("rest-style-changed", `is written as ${is} now, it was ${was}`, {
          before: was,
          after: is,
          below: [was.split(",")[0] === is.split(",")[0] ? "explode" : "style"],
        }),
  ),
  fact(
    ({ inputs }) =>
      inputs.map((input) => ({
        key: inputKey(input),
        node: input.node,
        below: ["allowEmptyValue"],
        value: membersOf(input.node.value).allowEmptyValue === true,
      })),
    (was, is) =>
      was && !is
        ? differing("rest-limit-changed", "no longer takes an empty value", { before: was, after: is })
        : undefined,
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
      const was = JSON.stringify(before);
      const is = JSON.stringify(after);
      return was === is
        ? undefined
        : differing("rest-default-changed", `defaults to ${is} now, it was ${was}`, { before, after });
    },
  ),
];

const partOf = (location: string): string =>
  location === "body" ? "a body property" : `a ${location} parameter`;

/** Whether every call sends the input, so that REST's default is never used. */
const isAlwaysSent = ({ source, argumentDefault }: Input): boolean =>
  source.kind !== "argument" || isNonNullType(source.type) || argumentDefault !== undefined;

/** The serialization styles of the lists and objects in a request (OpenAPI 3.1 §4.8.12). */
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
