/**
 * Parses the rate limits that a response advertises: `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-11), or the older `RateLimit-Limit`, `-Remaining` and `-Reset` (drafts up to 07) and
 * `X-RateLimit-…`. Fields in other formats are ignored, because a misread limit would block calls.
 */
import { type Parameters, parseList, serializeBareItem } from "structured-headers";
import { own } from "../../../shared/own.ts";
import type { RawHeaders } from "../rest-response.ts";

export type AdvertisedLimit = {
  /** The policy, resource (GitHub) or bucket (Discord) that the limit applies to; empty if it applies to all calls. */
  readonly name: string;
  /** The maximum number of requests per window, if the response advertises it. */
  readonly limit: number | undefined;
  readonly remaining: number;
  readonly resetMs: number;
  /** The length of the window, if the response advertises it. */
  readonly windowMs: number | undefined;
};

/** Longer times are ignored: usually they are milliseconds sent by mistake. */
const mostSeconds = 86_400;

export function advertisedLimits(headers: RawHeaders): readonly AdvertisedLimit[] {
  if (headers.ratelimit !== undefined) return fromPolicies(headers);
  return fromTriple(headers, "ratelimit") ?? fromTriple(headers, "x-ratelimit") ?? [];
}

function fromPolicies(headers: RawHeaders): AdvertisedLimit[] {
  const policies = new Map(
    itemsOf(headers["ratelimit-policy"]).map(({ name, parameters }) => [name, parameters]),
  );
  return itemsOf(headers.ratelimit).flatMap(({ name, parameters }) => {
    const policy = policies.get(name);
    const unit = policy?.get("qu") ?? "requests";
    const seconds = secondsIn(parameters.get("t") ?? policy?.get("w"));
    const remaining = countIn(parameters.get("r"));
    if (unit !== "requests" || seconds === undefined || remaining === undefined) return [];
    const window = secondsIn(policy?.get("w"));
    return [
      {
        name,
        limit: countIn(policy?.get("q")),
        remaining,
        resetMs: seconds * 1_000,
        windowMs: window === undefined ? undefined : window * 1_000,
      },
    ];
  });
}

type Item = { readonly name: string; readonly parameters: Parameters };

/** Parses a structured field (RFC 9651 §4.2). Returns each item with its serialized name; `[]` for a malformed field. */
function itemsOf(field: string | string[] | undefined): Item[] {
  try {
    return parseList([field ?? ""].flat().join(",")).flatMap(([value, parameters]) =>
      Array.isArray(value) ? [] : [{ name: serializeBareItem(value), parameters }],
    );
  } catch {
    return [];
  }
}

function fromTriple(headers: RawHeaders, prefix: string): AdvertisedLimit[] | undefined {
  const textOf = (name: string): string | undefined => {
    const value = own(headers, `${prefix}-${name}`);
    return typeof value === "string" ? value.trim() : undefined;
  };
  // drafts up to 07 allow policies after a comma
  const limit = countIn(textOf("limit")?.split(",")[0]);
  const remaining = countIn(textOf("remaining"));
  const seconds = secondsIn(textOf("reset-after")) ?? secondsUntil(textOf("reset"));
  if (remaining === undefined || seconds === undefined) return undefined;
  const name = textOf("resource") ?? textOf("bucket") ?? "";
  return [{ name, limit, remaining, resetMs: seconds * 1_000, windowMs: undefined }];
}

const countIn = (value: unknown): number | undefined =>
  /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined;

function secondsIn(value: unknown): number | undefined {
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(String(value))) return undefined;
  return Number(value) <= mostSeconds ? Number(value) : undefined;
}

/** Returns the seconds until the reset. Some services send these seconds, others the Unix time of the reset. */
function secondsUntil(text: string | undefined): number | undefined {
  const isTime = text !== undefined && /^\d{10}(?:\.\d{1,9})?$/.test(text);
  return isTime
    ? secondsIn(String(Math.max(Number(text) - Date.now() / 1_000, 0).toFixed(3)))
    : secondsIn(text);
}
