/**
 * Finds contradictions between a key property and the id that an operation accepts. Compares their patterns, formats, lengths,
 * examples, titles and descriptions, because names alone never prove that two ids are the same.
 */
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import { rejectionReason } from "../bind/inputs/check-constants.ts";
import type { RestDocument, RestNode } from "../openapi/document.ts";
import { isOnly, type Property, type Shape } from "../openapi/shapes/shape.ts";
import { splitCamelCase, splitWords } from "../schema/graphql-names.ts";

/** A key property, its name minus `Id`, and the schemas of the objects with the key (`owners`). */
export type LinkKey = {
  readonly property: Property;
  readonly name: string;
  readonly owners: readonly Shape[];
};

/** Describes a contradiction between a key and `ids` (the id parameter, and the id property of the returned objects). */
export function linkContradiction(
  document: RestDocument,
  { property, name, owners }: LinkKey,
  ids: readonly Property[],
): string | undefined {
  const key = property.shape.items ?? property.shape;
  const texts = statedTexts(document, property.node, key);
  const shown = [
    ...(key.values ?? []),
    ...examplesOf(document, property, key, owners),
    ...texts.flatMap(({ text }) => idsIn(text)),
  ];
  for (const id of ids) {
    const taken = id.shape.items ?? id.shape;
    const examples = examplesOf(document, id, taken, []);
    const unfit =
      otherLimit(key, taken) ??
      shown.map((value) => refusal(taken, value, examples)).find((each) => each !== undefined);
    if (unfit !== undefined) return `${property.name} ${unfit.of}, but ${id.name} ${unfit.wanted}`;
  }
  return foreignOwner(document, texts, name, property.name);
}

type Unfit = { readonly of: string; readonly wanted: string };

/** Finds a limit of the key that contradicts a limit of the id. Patterns contradict each other if their texts differ. */
function otherLimit(key: Shape, taken: Shape): Unfit | undefined {
  for (const [keyword, one, other] of [
    ["pattern", key.limits.pattern, taken.limits.pattern],
    ["format", textFormat(key), textFormat(taken)],
  ] as const)
    if (one !== undefined && other !== undefined && one !== other)
      return { of: limitText(keyword, one), wanted: limitText(keyword, other) };
  for (const [one, other] of [
    ["maxLength", "minLength"],
    ["minLength", "maxLength"],
  ] as const) {
    const own = key.limits[one];
    const wanted = taken.limits[other];
    const isApart =
      typeof own === "number" &&
      typeof wanted === "number" &&
      (one === "maxLength" ? own < wanted : own > wanted);
    if (isApart) return { of: limitText(one, own), wanted: limitText(other, wanted) };
  }
  return undefined;
}

const limitText = (keyword: string, value: unknown): string => `has ${keyword} ${JSON.stringify(value)}`;

const textFormat = (shape: Shape): string | undefined => (isOnly(shape, "string") ? shape.format : undefined);

/**
 * Describes why a value of the key cannot be an id: the id's schema rejects the value, or the example ids in `examples` have
 * another prefix. A prefix such as `cus_` distinguishes kinds of ids. A value that ends with `_` is itself only a prefix.
 */
function refusal(taken: Shape, value: unknown, examples: readonly unknown[]): Unfit | undefined {
  const sent = taken.types.has("string") && typeof value === "number" ? String(value) : value;
  const { pattern } = taken.limits;
  const of = `may be ${JSON.stringify(value)}`;
  if (typeof sent === "string" && sent.endsWith("_")) {
    if (typeof pattern === "string" && pattern.startsWith("^") && !pattern.includes(sent))
      return { of: `begins with ${JSON.stringify(value)}`, wanted: limitText("pattern", pattern) };
  } else if (!taken.types.has("integer") || typeof sent !== "string" || !/^-?\d+$/.test(sent)) {
    const reason = rejectionReason(taken, sent);
    if (reason !== undefined) return { of, wanted: `refuses it: the value ${reason}` };
  }
  const prefix = prefixOf(sent);
  const example = examples.find((each) => typeof each === "string");
  return prefix === undefined || example === undefined || prefix === prefixOf(example)
    ? undefined
    : { of, wanted: `is like ${JSON.stringify(example)}` };
}

const prefixOf = (value: unknown): string | undefined =>
  typeof value === "string" ? /^([A-Za-z]+_)[A-Za-z0-9]*$/.exec(value)?.[1] : undefined;

/** Returns the example values of a property, from its own schema and from examples of the objects that have the property. */
export function examplesOf(
  document: RestDocument,
  { name, node }: Pick<Property, "name" | "node">,
  shape: Shape,
  owners: readonly Shape[],
): unknown[] {
  const holders = [node.value, document.follow(node)?.value, membersOf(node.value).schema, shape.node.value];
  return [
    ...holders.flatMap(examplesIn).flat(),
    ...owners
      .flatMap((owner) => examplesIn(owner.node.value))
      .flatMap((example) => [isRecord(example) ? own(example, name) : undefined].flat()),
  ].filter((value) => value !== undefined && value !== null && value !== "");
}

const examplesIn = (holder: unknown): unknown[] => {
  const { example, examples, default: byDefault, const: only } = membersOf(holder);
  const listed = isRecord(examples)
    ? Object.values(examples).map((each) => membersOf(each).value)
    : [examples].flat();
  return [example, byDefault, only, ...listed].filter((value) => value !== undefined);
};

type StatedText = { readonly keyword: string; readonly text: string };

function statedTexts(document: RestDocument, node: RestNode, shape: Shape): StatedText[] {
  const holders = new Set([node.value, document.follow(node)?.value, shape.node.value]);
  return [...holders].flatMap((holder) =>
    ["title", "description"].flatMap((keyword) => {
      const text = own(membersOf(holder), keyword);
      return typeof text === "string" ? [{ keyword, text }] : [];
    }),
  );
}

/** Returns the words of the text that look like an id, such as `cus_123`, or like the prefix of an id, such as `cus_`. */
const idsIn = (text: string): string[] => [
  ...new Set(text.match(/\b(?=[A-Za-z-]*[_-][\w-]*\d)[A-Za-z][\w-]*\b|\b[a-z]{2,8}_(?![A-Za-z0-9_])/g)),
];

/** Words that may precede an object's name but do not name another system. */
const plainWords = new Set(
  `a all an and any array associated assigned base belonging billing by corresponding created current default each every
existing first for given her his id ids if in internal its last linked list main matching new numeric of old on one optional
or original other our owner owning parent primary referenced related required resource resulting second source specified
string target that the their this to unique updated uuid when which whose with your`.split(/\s+/),
);
const foreignWords = new Set(["external", "foreign", "legacy", "remote", "third-party", "upstream"]);

/** Finds a description that calls the key another system's id, such as `Stripe customer ID` or `the customer in Stripe`. */
function foreignOwner(
  document: RestDocument,
  texts: readonly StatedText[],
  name: string,
  key: string,
): string | undefined {
  const words = splitCamelCase(name);
  // a word of the key itself, such as `external` of `external_user_id`, does not contradict the link
  const usual = new Set([
    ...words,
    ...splitCamelCase(key),
    ...splitWords(String(membersOf(membersOf(document.root.value).info).title)),
  ]);
  const isForeign = (word: string): boolean =>
    ![...usual].some((each) => each.toLowerCase() === word.toLowerCase()) &&
    (foreignWords.has(word.toLowerCase()) || (/^[A-Z]/.test(word) && !plainWords.has(word.toLowerCase())));
  const object = `${words.join(String.raw`[\s_-]*`)}(?:e?s)?`;
  const before = new RegExp(String.raw`\b([A-Za-z][\w-]*)(?:['’]s)?\s+${object}\b`, "gi");
  const after = new RegExp(
    String.raw`\b${object}(?:\s+(?:id|identifier|account|record|object))?\s+(?:in|at|from|within|on)\s+(?:the\s+)?([A-Za-z][\w-]*)`,
    "gi",
  );
  for (const { keyword, text } of texts) {
    const found = [...text.matchAll(before), ...text.matchAll(after)].find(([, word = ""]) =>
      isForeign(word),
    );
    if (found) return `the ${keyword} of ${key} is of another system: ${JSON.stringify(found[0])}`;
  }
  return undefined;
}
