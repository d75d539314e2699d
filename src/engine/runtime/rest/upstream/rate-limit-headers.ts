/**
 * The rate limits that a response advertises: `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11), or
 * the older triples `RateLimit-Limit`, `-Remaining`, `-Reset` (drafts up to 07) and `X-RateLimit-…`. A field in another format
 * is ignored: a limit that is misread would stop calls for no reason.
 */
import { type Parameters, parseList, serializeBareItem } from "structured-headers";
import { own } from "../../../shared/own.ts";
import type { RawHeaders } from "../rest-response.ts";

export type AdvertisedLimit = {
  /** The policy, or the resource or bucket (GitHub, Discord) that the limit applies to; empty: the limit of all calls. */
  readonly name: string;
  /** Requests per window; `undefined` if not advertised. */
  readonly limit: number | undefined;
  readonly remaining: number;
  readonly resetMs: number;
  /** The length of the window; `undefined` if not advertised. */
  readonly windowMs: number | undefined;
};

/** Longer times are ignored: they are usually milliseconds in a field for seconds. */
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

/** The members of a structured field (RFC 9651 §4.2), each with its name as serialized; empty for a malformed field. */
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
  // drafts up to 07 allow further policies after a comma
  const limit = countIn(textOf("limit")?.split(",")[0]);
  const remaining = countIn(textOf("remaining"));
  const seconds = secondsIn(textOf("reset-after")) ?? secondsUntil(textOf("reset"));
  if (remaining === undefined || seconds === undefined) return undefined;
  const name = textOf("resource") ?? textOf("bucket") ?? "";
  return [{ name, limit, remaining, resetMs: seconds * 1_000, windowMs: undefined }];
}

/** Reads a parameter of a structured field, or a field of a triple. */
const countIn = (value: unknown): number | undefined =>
  /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined;

function secondsIn(value: unknown): number | undefined {
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(String(value))) return undefined;
  return Number(value) <= mostSeconds ? Number(value) : undefined;
}

/** Some services send the seconds until the reset, and others its Unix time. */
function secondsUntil(text: string | undefined): number | undefined {
  const isTime = text !== undefined && /^\d{10}(?:\.\d{1,9})?$/.test(text);
  return isTime
    ? secondsIn(String(Math.max(Number(text) - Date.now() / 1_000, 0).toFixed(3)))
    : secondsIn(text);
}
