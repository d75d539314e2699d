/**
 * Decides whether a keyword of a JSON Schema (2020-12 §10, Validation §6) accepts the values that calls may send: all of them
 * (`met`), none (`refused`), or some (`open`).
 */
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { ajv } from "../../../shared/json-schema.ts";
import { own } from "../../../shared/own.ts";
import { keysOf, type RestDocument, type RestNode, refOf } from "../../openapi/document.ts";
import { discriminate } from "../../openapi/shapes/discriminate.ts";
import { isPattern } from "../../openapi/shapes/limits.ts";
import { shapeAt } from "../../openapi/shapes/read-shape.ts";
import { nodeBelow, type Shape } from "../../openapi/shapes/shape.ts";
import { rejectionReason } from "./check-constants.ts";
import type { Sent, SentMember } from "./sent.ts";

export type KeywordVerdict = "met" | "open" | "refused";

/**
 * Returns the verdict of one keyword of the schema at `node`. Enums and limits of unknown values count as met, because
 * `matchInput` checks the enums, and the server checks the limits before the call.
 */
export const keywordVerdict = (
  document: RestDocument,
  node: RestNode,
  keyword: string,
  sent: Sent,
): KeywordVerdict => new Judge(document).keyword(node, keyword, sent, true);

const all = (verdicts: readonly KeywordVerdict[]): KeywordVerdict =>
  verdicts.includes("refused") ? "refused" : verdicts.includes("open") ? "open" : "met";
const any = (verdicts: readonly KeywordVerdict[]): KeywordVerdict =>
  verdicts.includes("met") ? "met" : verdicts.includes("open") ? "open" : "refused";
/** Returns the verdict that all alternative values share, or `open` if they differ. */
const common = ([first = "met", ...others]: readonly KeywordVerdict[]): KeywordVerdict =>
  others.every((each) => each === first) ? first : "open";
const opposite = { met: "refused", open: "open", refused: "met" } as const;

/** `isTrusted`: whether limits of unknown values count as met, because the server checks them before the call. */
type At = {
  readonly judge: Judge;
  readonly node: RestNode;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly sent: Sent;
  readonly isTrusted: boolean;
};

class Judge {
  readonly document: RestDocument;
  /** Schema → value → `isTrusted` → verdict. An unfinished verdict is `met`, so that recursive schemas terminate. */
  readonly #known = new Map<unknown, Map<Sent, Map<boolean, KeywordVerdict>>>();

  constructor(document: RestDocument) {
    this.document = document;
  }

  keyword(node: RestNode, keyword: string, sent: Sent, isTrusted: boolean): KeywordVerdict {
    if (sent.kind === "choice")
      return common(sent.of().map((each) => this.keyword(node, keyword, each, isTrusted)));
    const decide = own(keywords, keyword);
    if (typeof decide !== "function") return "met";
    // the server passes custom scalars on without checking their limits
    if (sent.kind === "any") return isTrusted ? "met" : "open";
    const schema = membersOf(node.value);
    return decide({ judge: this, node, schema, sent, isTrusted }, own(schema, keyword));
  }

  schema(node: RestNode, sent: Sent, isTrusted: boolean): KeywordVerdict {
    if (!isRecord(node.value)) return node.value === false ? "refused" : "met";
    const bySent = this.#known.get(node.value) ?? new Map<Sent, Map<boolean, KeywordVerdict>>();
    const verdicts = bySent.get(sent) ?? new Map<boolean, KeywordVerdict>();
    this.#known.set(node.value, bySent.set(sent, verdicts));
    const before = verdicts.get(isTrusted);
    if (before) return before;
    verdicts.set(isTrusted, "met");
    const target = refOf(node.value) === undefined ? undefined : this.document.refTarget(node);
    const isAlone = target !== undefined && !this.document.versions.readsBesideRef(node.file);
    const verdict = all([
      ...(target ? [this.schema(target, sent, isTrusted)] : []),
      ...(isAlone ? [] : keysOf(node).map((each) => this.keyword(node, each, sent, isTrusted))),
    ]);
    verdicts.set(isTrusted, verdict);
    return verdict;
  }
}

/**
 * Returns the verdict on a property of an object. An optional property that REST rejects is `open`, because calls may omit it.
 */
const ofMember = (
  { judge, isTrusted }: At,
  node: RestNode,
  { sent, isAlways }: SentMember,
): KeywordVerdict => {
  const verdict = judge.schema(node, sent, isTrusted);
  return verdict === "refused" && !isAlways ? "open" : verdict;
};

type Keyword = (at: At, value: unknown) => KeywordVerdict;

/** Creates a keyword that restricts objects and accepts all other values. */
const ofObject =
  (decide: (at: At, members: ReadonlyMap<string, SentMember>, value: unknown) => KeywordVerdict): Keyword =>
  (at, value) =>
    at.sent.kind === "object" ? decide(at, at.sent.members(), value) : "met";

/** Creates a keyword that restricts lists and accepts all other values. */
const ofList =
  (decide: (at: At, items: Sent, value: unknown) => KeywordVerdict): Keyword =>
  (at, value) =>
    at.sent.kind === "list" ? decide(at, at.sent.items, value) : "met";

/** Creates a keyword that restricts values of these types and accepts all other values. */
const ofValue =
  (keyword: string, ...types: string[]): Keyword =>
  ({ sent, isTrusted }, value) => {
    if (typesVerdict(sent, types) === "refused") return "met";
    if (sent.kind !== "scalar" || !sent.values) return isTrusted ? "met" : "open";
    return common(sent.values.map((each) => (isRefusedBy(keyword, value, each) ? "refused" : "met")));
  };

function isRefusedBy(keyword: string, value: unknown, sent: unknown): boolean {
  try {
    return !ajv.compile({ [keyword]: value })(sent);
  } catch {
    return false; // `limit-unchecked` reports an invalid keyword
  }
}

const schemasIn = (node: RestNode, keyword: string): RestNode[] =>
  keysOf(nodeBelow(node, keyword)).map((key) => nodeBelow(node, keyword, key));

const typesOf = (sent: Sent): readonly string[] => {
  if (sent.kind === "scalar") return sent.types;
  return sent.kind === "list" ? ["array"] : sent.kind === "object" ? ["object"] : [];
};

const typesVerdict = (sent: Sent, named: readonly unknown[]): KeywordVerdict =>
  common(
    typesOf(sent).map((type): KeywordVerdict => {
      if (named.includes(type) || (type === "integer" && named.includes("number"))) return "met";
      return type === "number" && named.includes("integer") ? "open" : "refused";
    }),
  );

/** Returns the verdict of `enum` or `const`. */
function valuesVerdict({ sent, isTrusted }: At, values: readonly unknown[]): KeywordVerdict {
  if (sent.kind === "scalar" && sent.values)
    return common(sent.values.map((each) => (values.includes(each) ? "met" : "refused")));
  const types = new Set(values.flatMap(typesNamedBy));
  const isPossible = typesVerdict(sent, [...types]) !== "refused";
  return isPossible ? (isTrusted ? "met" : "open") : "refused";
}

function typesNamedBy(value: unknown): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return typeof value === "number" ? ["number", "integer"] : [typeof value];
}

function countOf(members: ReadonlyMap<string, SentMember>): readonly [least: number, most: number] {
  return [[...members.values()].filter(({ isAlways }) => isAlways).length, members.size];
}

const presenceOf = (members: ReadonlyMap<string, SentMember>, name: unknown): KeywordVerdict => {
  const found = members.get(String(name));
  return found ? (found.isAlways ? "met" : "open") : "refused";
};

/** Returns the verdict of a conditional schema, such as `then`. */
const demanded = (condition: KeywordVerdict, demand: () => KeywordVerdict): KeywordVerdict => {
  if (condition === "refused") return "met";
  const verdict = demand();
  return condition === "open" && verdict === "refused" ? "open" : verdict;
};

const requiredVerdict = (members: ReadonlyMap<string, SentMember>, names: unknown): KeywordVerdict =>
  all([names].flat().map((name) => presenceOf(members, name)));

function matches(pattern: string, name: string): boolean {
  return isPattern(pattern) && new RegExp(pattern, "u").test(name);
}

/** Whether the schema itself declares the property. Ignores the schemas in its `$ref` and `allOf`. */
const isDeclared = ({ schema }: At, name: string): boolean =>
  Object.hasOwn(membersOf(schema.properties), name) ||
  Object.keys(membersOf(schema.patternProperties)).some((pattern) => matches(pattern, name));

/** The in-place applicators (JSON Schema 2020-12 Core §10.2). Their subschemas apply to the value itself, not to its members. */
const inPlace = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/**
 * Whether the property counts as evaluated (JSON Schema 2020-12 §11). `open`: it is evaluated only if a certain member of `anyOf`
 * or `oneOf` applies.
 */
function evaluationVerdict(at: At, name: string, seen = new Set<unknown>()): KeywordVerdict {
  const { judge, node, schema } = at;
  if (seen.has(node.value)) return "refused";
  seen.add(node.value);
  if (isDeclared(at, name) || (schema.additionalProperties ?? false) !== false) return "met";
  const below = (other: RestNode): KeywordVerdict =>
    evaluationVerdict({ ...at, node: other, schema: membersOf(other.value) }, name, seen);
  const target = judge.document.refTarget(node);
  if (target && below(target) === "met") return "met";
  const found = inPlace.flatMap((keyword) => {
    if (own(schema, keyword) === undefined) return [];
    const nodes = /if|then|else/.test(keyword) ? [nodeBelow(node, keyword)] : schemasIn(node, keyword);
    return nodes.map((each) =>
      keyword === "allOf" ? below(each) : below(each) === "refused" ? "refused" : "open",
    );
  });
  return any(found);
}

/**
 * Returns two verdicts for each member of an `anyOf` or `oneOf`. `meant` is the verdict if the client means this member. The
 * server then checks the member's limits.
 */
function alternatives({ judge, node, sent, isTrusted }: At, keyword: string) {
  return schemasIn(node, keyword).map((member) => ({
    member,
    meant: judge.schema(member, sent, isTrusted),
    verdict: judge.schema(member, sent, false),
  }));
}

const anyOf: Keyword = (at) => any(alternatives(at, "anyOf").map(({ meant }) => meant));

/** Requires that exactly one member accepts the value, or that a discriminator or disjoint values separate the members. */
const oneOf: Keyword = (at) => {
  const sent = at.sent.kind === "object" ? [...at.sent.members().keys()] : [];
  const names = sent.filter((name) => !isDeclared(at, name));
  // JSON Schema also allows undeclared properties, but APIs recognize a member by the declared ones
  const isMeant = (member: RestNode): boolean =>
    names.every(
      (name) =>
        evaluationVerdict({ ...at, node: member, schema: membersOf(member.value) }, name) !== "refused",
    );
  const members = alternatives(at, "oneOf").filter(({ verdict }) => verdict !== "refused");
  const meant = members.filter(({ member }) => isMeant(member));
  const fitting = meant.length > 0 ? meant : members;
  const isExclusive = (): boolean => {
    const { document } = at.judge;
    const { variants } = shapeAt(document, {
      ...at.node,
      value: { oneOf: at.schema.oneOf, discriminator: at.schema.discriminator },
    });
    if (variants && discriminate(variants)) return true;
    const shapes = fitting.map(({ member }) => shapeAt(document, member));
    return shapes.every((one, index) => shapes.slice(index + 1).every((other) => areApart(one, other)));
  };
  if (fitting.length === 0) return "refused";
  return fitting.length === 1 || isExclusive() ? any(fitting.map(({ meant }) => meant)) : "open";
};

/** Whether no value fits both: one is an enum, and the other rejects all its values. */
const areApart = (one: Shape, other: Shape): boolean =>
  [
    [one, other],
    [other, one],
  ].some(([listed, taken]) =>
    Boolean(listed?.values?.length && taken && listed.values.every((value) => rejectionReason(taken, value))),
  );

/**
 * Every keyword of JSON Schema 2020-12 and of OpenAPI's Schema Object (3.0 §4.7.24, 3.1 §4.8.24). `annotation`: rejects no value.
 * `applied`: evaluated by the function of another keyword. `reference`: resolved by `Judge.schema`.
 */
export const keywords: Readonly<Record<string, Keyword | "annotation" | "applied" | "reference">> = {
  $ref: "reference",
  $dynamicRef: () => "open",
  $recursiveRef: () => "open",
  allOf: ({ judge, node, sent, isTrusted }) =>
    all(schemasIn(node, "allOf").map((each) => judge.schema(each, sent, isTrusted))),
  anyOf,
  oneOf,
  not: ({ judge, node, sent }) => opposite[judge.schema(nodeBelow(node, "not"), sent, false)],
  if: ({ judge, node, schema, sent, isTrusted }) => {
    const condition = judge.schema(nodeBelow(node, "if"), sent, false);
    const branch = (keyword: string) => () =>
      own(schema, keyword) === undefined
        ? "met"
        : judge.schema(nodeBelow(node, keyword), sent, isTrusted && condition !== "open");
    const met = demanded(condition, branch("then"));
    const otherwise = demanded(opposite[condition], branch("else"));
    return all([met, otherwise]);
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: "applied",
  else: "applied",
  type: ({ schema, sent }, value) =>
    typesVerdict(sent, [value, ...(schema.nullable === true ? ["null"] : [])].flat()),
  enum: (at, values) => (Array.isArray(values) ? valuesVerdict(at, values) : "met"),
  const: (at, value) => valuesVerdict(at, [value]),
  multipleOf: ofValue("multipleOf", "number", "integer"),
  maximum: ofValue("maximum", "number", "integer"),
  exclusiveMaximum: ofValue("exclusiveMaximum", "number", "integer"),
  minimum: ofValue("minimum", "number", "integer"),
  exclusiveMinimum: ofValue("exclusiveMinimum", "number", "integer"),
  maxLength: ofValue("maxLength", "string"),
  minLength: ofValue("minLength", "string"),
  pattern: ofValue("pattern", "string"),
  format: ofValue("format", "string", "number", "integer"),
  contentEncoding: ofValue("contentEncoding", "string"),
  contentMediaType: ofValue("contentMediaType", "string"),
  contentSchema: ofValue("contentSchema", "string"),
  maxItems: ofValue("maxItems", "array"),
  minItems: ofValue("minItems", "array"),
  uniqueItems: ofValue("uniqueItems", "array"),
  items: ofList(({ judge, node, isTrusted }, items) => {
    const verdict = judge.schema(nodeBelow(node, "items"), items, isTrusted);
    return verdict === "refused" ? "open" : verdict;
  }),
  prefixItems: ofList(({ judge, node }, items) =>
    all(schemasIn(node, "prefixItems").map((each) => judge.schema(each, items, false))) === "met"
      ? "met"
      : "open",
  ),
  additionalItems: ofList(() => "open"),
  unevaluatedItems: ofList(({ schema }) =>
    isRecord(schema.items) || schema.items === true ? "met" : "open",
  ),
  contains: ofList(({ judge, node, schema }, items) => {
    const { minContains = 1, maxContains, minItems = 0 } = schema;
    const verdict = judge.schema(nodeBelow(node, "contains"), items, false);
    const isEnough = minContains === 0 || (verdict === "met" && Number(minItems) >= Number(minContains));
    if (isEnough && maxContains === undefined) return "met";
    return verdict === "refused" ? (minContains === 0 ? "met" : "refused") : "open";
  }),
  minContains: "applied",
  maxContains: "applied",
  required: ofObject((_at, members, names) => requiredVerdict(members, names)),
  minProperties: ofObject((_at, members, count) => {
    const [least, most] = countOf(members);
    return least >= Number(count) ? "met" : most < Number(count) ? "refused" : "open";
  }),
  maxProperties: ofObject((_at, members, count) => {
    const [least, most] = countOf(members);
    return most <= Number(count) ? "met" : least > Number(count) ? "refused" : "open";
  }),
  dependentRequired: ofObject((_at, members, dependent) =>
    all(
      Object.entries(membersOf(dependent)).map(([name, names]) =>
        demanded(presenceOf(members, name), () => requiredVerdict(members, names)),
      ),
    ),
  ),
  dependentSchemas: ofObject(({ judge, node, sent }, members) =>
    all(
      schemasIn(node, "dependentSchemas").map((each) =>
        demanded(presenceOf(members, each.path.at(-1)), () => judge.schema(each, sent, false)),
      ),
    ),
  ),
  dependencies: ofObject(() => "open"),
  propertyNames: ofObject(({ judge, node }, members) =>
    all(
      [...members].map(([name, { isAlways }]) => {
        const sent: Sent = { kind: "scalar", types: ["string"], values: [name] };
        const verdict = judge.schema(nodeBelow(node, "propertyNames"), sent, false);
        return verdict === "refused" && !isAlways ? "open" : verdict;
      }),
    ),
  ),
  properties: ofObject((at, members) =>
    all(
      schemasIn(at.node, "properties").map((each) => {
        const member = members.get(String(each.path.at(-1)));
        return member ? ofMember(at, each, member) : "met";
      }),
    ),
  ),
  patternProperties: ofObject((at, members) =>
    all(
      schemasIn(at.node, "patternProperties").flatMap((each) => {
        const pattern = String(each.path.at(-1));
        return [...members].flatMap(([name, member]) => {
          if (!isPattern(pattern)) return "open";
          return matches(pattern, name) ? [ofMember({ ...at, isTrusted: false }, each, member)] : [];
        });
      }),
    ),
  ),
  additionalProperties: ofObject((at, members) =>
    all(
      [...members].flatMap(([name, member]) =>
        isDeclared(at, name)
          ? []
          : ofMember({ ...at, isTrusted: false }, nodeBelow(at.node, "additionalProperties"), member),
      ),
    ),
  ),
  unevaluatedProperties: ofObject((at, members) =>
    all(
      [...members].map(([name, member]) => {
        const evaluated = evaluationVerdict(at, name);
        const own = nodeBelow(at.node, "unevaluatedProperties");
        return evaluated === "met"
          ? "met"
          : demanded(opposite[evaluated], () => ofMember({ ...at, isTrusted: false }, own, member));
      }),
    ),
  ),
  nullable: "applied",
  discriminator: "applied",
  ...Object.fromEntries(
    [
      "$id",
      "$schema",
      "$anchor",
      "$dynamicAnchor",
      "$recursiveAnchor",
      "$vocabulary",
      "$comment",
      "$defs",
      "definitions",
      "title",
      "description",
      "default",
      "deprecated",
      "readOnly",
      "writeOnly",
      "examples",
      "example",
      "xml",
      "externalDocs",
    ].map((keyword) => [keyword, "annotation"]),
  ),
};
