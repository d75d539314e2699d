/**
 * Extracts texts for clients from the body of a 4xx response: the members that the OpenAPI document declares as problem details
 * (RFC 9457) or by `x-error-mapping`. The body of a 401, 403 or 407 is ignored, because it may repeat a credential.
 */
import { STATUS_CODES } from "node:http";
import { invisibleCharacters } from "../../shared/control-characters.ts";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { includes } from "../../shared/media-type.ts";
import type { ErrorMembers, Operation } from "../../shared/operation.ts";
import { own } from "../../shared/own.ts";
import { documentedStatus } from "../../shared/refusals.ts";
import { type Details, type RefusedValue, statusPhrase } from "../coded-error.ts";
import type { CallerHeaders } from "./caller-headers.ts";
import type { RestResponse } from "./rest-response.ts";

const credentialStatuses: ReadonlySet<number> = new Set([401, 403, 407]);

/** The maximum length of one text, and the maximum number of `errors`. */
const mostCharacters = 300;
export const mostErrors = 20;

/** The `argument` of each error is a REST name such as `items.0.name`, not yet the name of a GraphQL argument. */
export type RefusalText = Pick<Details, "title" | "detail" | "restCode" | "errors">;

/** Returns the texts of the declared members. Returns no texts if the body repeats a secret of the request. */
export function refusalText(
  operation: Operation,
  { status, mediaType }: RestResponse,
  body: unknown,
  secrets: CallerHeaders["secrets"],
): RefusalText {
  if (status < 400 || status >= 500 || credentialStatuses.has(status)) return {};
  const documented = documentedStatus(operation, status);
  for (const members of (documented !== undefined && operation.errors) || []) {
    if (!members.statuses.includes(documented ?? "") || !includes(members.media, mediaType)) continue;
    const text = read(members, body);
    if (Object.keys(text).length > 0) return repeats(body, secrets) ? {} : text;
  }
  return {};
}

/** Whether the body repeats a secret, perhaps percent-encoded, escaped, or with other case or punctuation. */
function repeats(body: unknown, secrets: readonly string[]): boolean {
  const text = JSON.stringify(body);
  const plain = lettersOf(text);
  return secrets.some((secret) => {
    const letters = lettersOf(secret);
    return letters.length >= fewestLetters
      ? plain.includes(letters)
      : text.includes(JSON.stringify(secret).slice(1, -1));
  });
}

/** Secrets with fewer letters and digits are compared exactly: unrelated texts may contain the same letters. */
const fewestLetters = 6;

/** Decodes percent-encoding and character references (RFC 3986 §2.1, HTML §13.1.4), and returns only letters and digits. */
const lettersOf = (text: string): string =>
  text
    .replace(/%(?:25)*([0-9a-f]{2})/gi, (_, code: string) => characterOf(Number.parseInt(code, 16)))
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (_, hex?: string, decimal?: string) =>
      characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/&(?:amp|lt|gt|quot|apos);|\\+u00([0-9a-f]{2})/gi, (_, code?: string) =>
      code === undefined ? "" : characterOf(Number.parseInt(code, 16)),
    )
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");

function read(members: ErrorMembers, body: unknown): RefusalText {
  const title = textAt(body, members.title);
  const detail = textAt(body, members.message);
  const restCode = codeAt(body, members.code);
  const argument = fieldAt(body, members.field);
  const errors = [
    ...(argument === undefined ? [] : [{ argument }]),
    ...(members.list === undefined ? [] : listed(members, at(body, members.list))),
  ].slice(0, mostErrors);
  return {
    ...(title !== undefined && { title }),
    ...(detail !== undefined && { detail }),
    ...(restCode !== undefined && { restCode }),
    ...(errors.length > 0 && { errors }),
  };
}

/** Reads errors from a list of texts, a list of objects, or a map from field names to texts. */
function listed({ item, isMap }: ErrorMembers, value: unknown): RefusedValue[] {
  if (isMap) {
    const entries = Object.entries(membersOf(value)).slice(0, mostErrors);
    return entries.flatMap(([name, texts]) => {
      const argument = fieldName(name);
      return textsOf(texts).map((detail) => ({ ...(argument !== undefined && { argument }), detail }));
    });
  }
  if (!Array.isArray(value)) return [];
  if (!item) return textsOf(value).map((detail) => ({ detail }));
  return value.slice(0, mostErrors).flatMap((each): RefusedValue[] => {
    const argument = fieldAt(each, item.field);
    const detail = textAt(each, item.message);
    const restCode = codeAt(each, item.code);
    const found = {
      ...(argument !== undefined && { argument }),
      ...(detail !== undefined && { detail }),
      ...(restCode !== undefined && { restCode }),
    };
    return Object.keys(found).length > 0 ? [found] : [];
  });
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.slice(0, mostErrors) : [value]).flatMap((each) => textOf(each) ?? []);

const at = (value: unknown, path: string | undefined): unknown =>
  path?.split(".").reduce((inner, step) => (isRecord(inner) ? own(inner, step) : undefined), value);

const textAt = (value: unknown, path: string | undefined): string | undefined => textOf(at(value, path));

function codeAt(value: unknown, path: string | undefined): string | undefined {
  const code = at(value, path);
  return textOf(typeof code === "number" ? String(code) : code);
}

function fieldAt(value: unknown, path: string | undefined): string | undefined {
  const field = at(value, path);
  return Array.isArray(field) ? stepsName(field.map(String)) : fieldName(field);
}

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Returns the text as one line of limited length; `undefined` if it is empty or not a string. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value
    .slice(0, 4 * mostCharacters)
    .toWellFormed()
    .replace(invisibleCharacters, "")
    .replace(unprintable, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? undefined : bounded(line, mostCharacters);
}

/** Truncates a text, but not within a surrogate pair. */
const bounded = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/**
 * Converts the REST name of a value to a dotted path, without a leading location such as `body`. Accepts JSON pointers (RFC
 * 6901), JSON paths and plain names: `/items/0/name`, `#/items/0/name`, `$.items[0].name`, `body.items.0.name`.
 */
function fieldName(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const pointer = /^#?\/(.*)$/.exec(text)?.[1];
  if (pointer === undefined) return stepsName(text.replace(/^\$\.?/, "").split(/[.[\]]+/));
  const steps = (text.startsWith("#") ? decoded(pointer) : pointer).split("/");
  return stepsName(steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")));
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Locations that FastAPI and JSON:API put in front of the name. */
const parts: ReadonlySet<string> = new Set(["body", "query", "path", "header"]);

function stepsName(given: readonly string[]): string | undefined {
  const steps = given.filter((step) => step !== "");
  const name = (steps.length > 1 && parts.has(steps[0] ?? "") ? steps.slice(1) : steps).join(".");
  return textOf(name);
}

/** The maximum length of a message, and the maximum number of `errors` it contains. */
const mostOfMessage = 500;
const mostRepeated = 5;

/**
 * Returns a message that consists of REST's own texts: the detail or else the title, then the details of `errors`. Returns
 * `undefined` if there are no texts. A title is ignored if it only repeats the phrase of the status (RFC 9457 §4.2.1).
 */
export function refusalMessage(
  { title, detail, argument, errors = [] }: Details,
  status: unknown,
): string | undefined {
  const values = errors.flatMap((each) =>
    each.detail === undefined || detail?.includes(each.detail) ? [] : [withName(each.argument, each.detail)],
  );
  const own = detail === undefined ? undefined : withName(values.length > 0 ? undefined : argument, detail);
  const isInformative = title !== undefined && argument === undefined && !isPhrase(title, status);
  const head = own ?? (values.length === 0 && isInformative ? title : undefined);
  const list = values.slice(0, mostRepeated).join("; ");
  if (head === undefined) return list === "" ? undefined : bounded(list, mostOfMessage);
  return bounded(list === "" ? head : `${head.replace(/[.:]$/, "")}: ${list}`, mostOfMessage);
}

const isPhrase = (title: string, status: unknown): boolean =>
  typeof status === "number" &&
  [STATUS_CODES[status], statusPhrase(status)].some(
    (phrase) => phrase?.toLowerCase() === title.toLowerCase(),
  );

/** Prefixes the text with the argument's name, unless the text already contains the name. */
function withName(argument: string | undefined, text: string): string {
  if (argument === undefined) return text;
  const name = argument.split(".").findLast((step) => !/^\d+$/.test(step)) ?? argument;
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  return words.includes(name.toLowerCase()) ? text : `${argument}: ${text}`;
}
