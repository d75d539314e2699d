/**
 * Reports schema conditions that the server cannot check before the call, such as `not`, `if` and `minProperties`. A condition
 * that every call violates is an error.
 */
import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from "graphql";
import { dateScalars } from "../../../shared/date-scalars.ts";
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { own } from "../../../shared/own.ts";
import type { Condition, Shape } from "../../openapi/shapes/shape.ts";
import type { Binder } from "../binder.ts";
import { enumValues } from "../enum-values.ts";
import type { FindingTarget } from "../findings.ts";
import type { Input } from "../model.ts";
import { isIntegerText } from "../scalar-rules.ts";
import type { InputPair, InputPairs } from "./input-pairs.ts";
import { isNullableInput, readsObject } from "./input-source.ts";
import { keywordVerdict } from "./keyword-verdict.ts";
import type { Sent, SentMember } from "./sent.ts";

export function checkConditions(
  { document, findings }: Binder,
  where: FindingTarget,
  { conditions }: Shape,
  sent: Sent,
): void {
  if (sent.kind === "any") return;
  for (const condition of conditions) {
    const { keyword, node } = condition;
    const verdict = keywordVerdict(document, node, keyword, sent);
    if (verdict === "met" || findings.hasErrorAt(where.coordinate)) continue;
    const at = { ...where, rest: node, also: [where.rest], below: [keyword] };
    const statement = conditionText(condition);
    const text = statement.length > mostShown ? `${statement.slice(0, mostShown)}…` : statement;
    const subject = where.subject ?? where.coordinate;
    if (verdict === "refused" && !oftenMeantOtherwise.has(keyword))
      findings.add(
        "request-refused",
        at,
        `REST refuses every value of ${subject}: ${text}`,
        "send what REST takes, or mend the document by an overlay",
      );
    else
      findings.add(
        "limit-unchecked",
        { ...at, facts: [statement] },
        `REST limits ${subject} by ${text}, which is not checked before the call`,
        `make sure of it by the types, such as non-null fields${sent.kind === "choice" ? "" : " or @oneOf"}, or approve it: REST alone checks it`,
      );
  }
}

const mostShown = 200;

/**
 * Keywords that are often stricter in the document than in the API. For example, in an `allOf`, `additionalProperties: false` of
 * one member forbids the properties of all others.
 */
export const oftenMeantOtherwise: ReadonlySet<unknown> = new Set([
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  "oneOf",
  "anyOf",
]);

/** Keyword → the keywords that belong to it. */
const readBeside: Readonly<Record<string, readonly string[]>> = {
  if: ["then", "else"],
  contains: ["minContains", "maxContains"],
};

export const conditionText = ({ keyword, node }: Condition): string =>
  [keyword, ...(own(readBeside, keyword) ?? [])]
    .flatMap((each) => {
      const value = own(membersOf(node.value), each);
      return value === undefined ? [] : [`${each}: ${JSON.stringify(value)}`];
    })
    .join(", ");

const any: Sent = { kind: "any" };

/** Returns the REST values that a GraphQL type may send, except null, which `input-nullable` reports. */
export function sentOf(pairs: InputPairs, given: GraphQLInputType, shape: Shape): Sent {
  const type = getNullableType(given);
  if (isListType(type))
    return { kind: "list", items: shape.items ? sentOf(pairs, type.ofType, shape.items) : any };
  if (isEnumType(type)) {
    const texts = [...enumValues(pairs.names, type).values()];
    const isInteger = isIntegerText(type, shape);
    return {
      kind: "scalar",
      types: [isInteger ? "integer" : "string"],
      values: isInteger ? texts.map(Number) : texts,
    };
  }
  if (isInputObjectType(type)) {
    const pair = pairs.of(type, shape);
    const sent = pairs.sent.get(pair) ?? sentObject(pairs, pair);
    pairs.sent.set(pair, sent);
    return sent;
  }
  if (type.name === "ID" && !isIntegerText(type, shape))
    return { kind: "scalar", types: shape.types.has("integer") ? ["string", "integer"] : ["string"] };
  const named = own(scalarTypes, type.name) ?? (dateScalars.has(type.name) ? "string" : undefined);
  return named === undefined ? any : { kind: "scalar", types: [named] };
}

const scalarTypes: Readonly<Record<string, string>> = {
  String: "string",
  ID: "integer",
  Int: "integer",
  Float: "number",
  Boolean: "boolean",
};

function sentObject(pairs: InputPairs, { fields, choosesFrom }: InputPair): Sent {
  const fed = fields.flatMap(({ field, name, property, choice }) =>
    property ? [{ field, name, choice, sent: () => sentOf(pairs, field.type, property.shape) }] : [],
  );
  if (!choosesFrom)
    return objectOf(() =>
      fed.map(({ field, name, sent }) => [name, { sent: sent(), isAlways: !isNullableInput(field) }]),
    );
  return {
    kind: "choice",
    of: () =>
      fed.map(({ field, choice, sent }) => {
        // scalars and lists are sent unchanged
        if (choice?.isWholeMember && !isInputObjectType(getNullableType(field.type))) return sent();
        const { chosenBy } = choice ?? {};
        const constant: [string, SentMember][] =
          chosenBy && !chosenBy.isBound
            ? [[chosenBy.name, { sent: sentValue(chosenBy.value), isAlways: true }]]
            : [];
        return objectOf(() => {
          const chosen = sent();
          if (choice && !choice.isWholeMember)
            return [[choice.sent.name, { sent: chosen, isAlways: true }], ...constant];
          return [...(chosen.kind === "object" ? chosen.members() : []), ...constant];
        });
      }),
  };
}

function objectOf(make: () => Iterable<[string, SentMember]>): Sent {
  let members: ReadonlyMap<string, SentMember> | undefined;
  return {
    kind: "object",
    members: () => {
      members ??= new Map(make());
      return members;
    },
  };
}

export function sentValue(value: unknown): Sent {
  if (isRecord(value))
    return objectOf(() =>
      Object.entries(value).map(([name, each]) => [name, { sent: sentValue(each), isAlways: true }]),
    );
  if (Array.isArray(value)) {
    const [first = null, ...others] = value.map(sentValue);
    return first
      ? { kind: "list", items: others.length > 0 ? { kind: "choice", of: () => [first, ...others] } : first }
      : any;
  }
  const type = Number.isInteger(value) ? "integer" : value === null ? "null" : typeof value;
  return { kind: "scalar", types: [type], values: [value] };
}

export function sentInput(pairs: InputPairs, { source, shape }: Input): Sent {
  if (source.kind === "constant") return sentValue(source.value);
  if (source.kind === "tenant") return { kind: "scalar", types: ["string"] };
  if (!readsObject(source)) return sentOf(pairs, source.type, shape);
  return source.shape.types.size === 0 ||
    ["object", "array"].some((type) => source.shape.types.has(type as "object"))
    ? any
    : { kind: "scalar", types: [...source.shape.types] };
}

/** Returns the request body. Each input is a property of it. */
export const sentBody = (pairs: InputPairs, inputs: readonly Input[]): Sent =>
  objectOf(() =>
    inputs.map((input) => {
      const { source } = input;
      const isAlways = source.kind === "constant" || source.kind === "tenant" || !source.nullable;
      return [input.name, { sent: sentInput(pairs, input), isAlways }];
    }),
  );
