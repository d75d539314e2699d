/** Validators of environment variables. Their errors state the expected format. */
import { isIP } from "node:net";
import { makeValidator } from "envalid";
import { linearPattern } from "../../shared/linear-pattern.ts";
import { parseManifestLocations } from "../../shared/manifests/manifest-locations.ts";
import { parseRedisAddress } from "./redis-address.ts";

export function parseHttpUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("must be an http:// or https:// URL");
  if (url.search || url.hash || url.username || url.password)
    throw new Error("must be a URL without query, fragment or user");
  return url;
}

export const httpUrl = makeValidator(parseHttpUrl);
/** A URL, which may have a query, or the path of a file. */
export const urlOrFile = makeValidator((value: string): URL | string => {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.hash || url.username || url.password)
    throw new Error("must be an http:// or https:// URL without fragment or user, or a file");
  return url;
});
export const port = makeValidator((value: string): number => {
  if (!/^[0-9]{1,5}$/.test(value) || Number(value) > 65_535)
    throw new Error("must be a port from 0 to 65535");
  return Number(value);
});
const splitList = (value: string): readonly string[] => value.split(",").flatMap((item) => item.trim() || []);
/** Origins in the format that browsers send (RFC 6454 §6.2), because any other format would never match. */
export const origins = makeValidator((value: string): readonly string[] => {
  const given = splitList(value);
  const isOrigin = (text: string): boolean => {
    const { protocol, host } = URL.parse(text) ?? {};
    return text === `${protocol}//${host}`;
  };
  const wrong = given.find((item) => item !== "*" && !isOrigin(item));
  if (wrong !== undefined)
    throw new Error(
      `must be origins such as https://app.example, in lower case, without a path, or *; ${JSON.stringify(wrong)} is not one`,
    );
  return given;
});
/** Issuer identifiers of authorization servers (RFC 8414 §2), which clients compare character by character. */
export const issuers = makeValidator((value: string): readonly string[] => {
  const given = splitList(value);
  given.forEach(parseHttpUrl);
  return given;
});
const countFrom = (least: number) =>
  makeValidator((value: string): number => {
    if (!/^[0-9]{1,9}$/.test(value) || Number(value) < least)
      throw new Error(`must be a whole number from ${least} up`);
    return Number(value);
  });
export const count = countFrom(1);
/**
 * At least 5 s. The gateway reads the revocation log every second and notices a failure within two seconds. With less than 5 s,
 * it would distrust a log that works.
 */
export const unconfirmedMs = countFrom(5_000);
/**
 * Whether the text is an IP address or a CIDR block (RFC 4632, RFC 4291 §2.3). `/0` is refused, because a block of all addresses
 * must not be trusted.
 */
function isAddress(text: string): boolean {
  const [, address = "", bits = "1"] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? [];
  return Number(bits) >= 1 && Number(bits) <= ({ 4: 32, 6: 128 }[isIP(address)] ?? 0);
}
/** Product names, converted to the format of `<TAG>` in `REST_BASE_URL_<TAG>`: upper case, `_` instead of `-`. */
export const products = makeValidator((value: string): readonly string[] =>
  splitList(value).map((name) => name.toUpperCase().replaceAll("-", "_")),
);
export const addresses = makeValidator((value: string): readonly string[] => {
  const given = splitList(value);
  if (!given.every(isAddress)) throw new Error("must be IP addresses or CIDR blocks, comma-separated");
  return given;
});
export const manifestLocations = makeValidator(parseManifestLocations);
export const redisAddress = makeValidator(parseRedisAddress);
/** The prefix must not match any of these headers, because the gateway drops all headers with the configured prefix. */
const knownHeaders = [
  "accept-language",
  "access-control-request-method",
  "cache-control",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "last-modified",
  "retry-after",
  "set-cookie",
  "user-agent",
  "www-authenticate",
  "x-api-key",
  "x-forwarded-for",
  "x-gateway-proof",
  "x-request-id",
];
export const headerPrefix = makeValidator((value: string): string => {
  if (!/^[A-Za-z][A-Za-z0-9-]*-$/.test(value))
    throw new Error("must be letters, digits and dashes, with a dash at the end");
  const taken = knownHeaders.find((name) => name.startsWith(value.toLowerCase()));
  if (taken) throw new Error(`must be a prefix that no other header has; ${taken} has this one`);
  return value;
});
/** Accepts every string for which `check` does not throw. */
const textWith = (check: (value: string) => unknown) =>
  makeValidator((value: string): string => {
    check(value);
    return value;
  });
const textOf = (form: RegExp, expected: string) =>
  textWith((value) => {
    if (!form.test(value)) throw new Error(`must be ${expected}`);
  });
export const secret = textOf(/^[\x21-\x7e]{16,}$/, "at least 16 visible ASCII characters");
export const label = textOf(/^[\x21-\x7e]{1,200}$/, "at most 200 visible ASCII characters, without spaces");
export const pattern = textWith(linearPattern);

/**
 * Maps members of a caller's context to their names in a key introspection response. The names of context headers have dashes
 * instead of underscores.
 */
export const contextMembers = {
  tenantId: "tenant_id",
  userId: "user_id",
  apiKeyId: "api_key_id",
  roles: "roles",
  permissions: "permissions",
  features: "features",
  keyScopes: "key_scopes",
  teams: "teams",
};
const introspected = Object.values(contextMembers);
/** Parses `KEY_INTROSPECTION_NAMES`: maps the names of members to the names that the introspection service uses. */
export function introspectionNames(value = ""): ReadonlyMap<string, string> {
  const pairs = splitList(value).map((pair) => pair.split("="));
  const wrong = pairs.find(([own = "", theirs]) => !introspected.includes(own) || theirs === undefined);
  if (wrong) throw new Error(`must be pairs such as tenant_id=org; the names are ${introspected.join(", ")}`);
  return new Map(pairs.map(([own = "", theirs = ""]) => [own, theirs]));
}
export const names = textWith(introspectionNames);
