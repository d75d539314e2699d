/**
 * Reads `spec/credentials.yaml`: credentials of the server, and headers with fixed values, for calls to vendors' APIs. A call
 * with the server's credentials does not send the caller's credentials. Only the project's owner writes this file: `init` and
 * `update` never copy anything from a vendor's document into it.
 */

import { isRecord } from "../../shared/json-object.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { canonicalHeader, isNeverCredential } from "../../shared/never-credentials.ts";
import type { HeldCredential, Operation, TenantParameter, TokenEndpoint } from "../../shared/operation.ts";
import { UnreadableSpec, unreadableSpec } from "../diagnostic.ts";
import type { RestDocument, RestNode } from "./document.ts";
import { headerName } from "./security.ts";
import { rejectDuplicates } from "./yaml-file.ts";

const credentialsFile = "credentials.yaml";

/** A scheme's credential: a file in `CREDENTIALS_DIRECTORY`, or a folder there with one file per tenant. */
type HeldScheme = Pick<HeldCredential, "file" | "perTenant" | "token">;

/** The section for one OpenAPI document. Operations are keyed by method and path as in the document: `GET /things/{id}`. */
export type HeldDocument = {
  /** The only origin to which the credentials are sent; `undefined` if the section contains only `headers`. */
  readonly origin?: string;
  /** The credentials, by the name of the security scheme. */
  readonly schemes: ReadonlyMap<string, HeldScheme>;
  /** For each operation that sends a credential shared by all tenants, the reason why every tenant may call it. */
  readonly everyTenantMay: ReadonlyMap<string, string>;
  /** For each operation with an unsafe method, the reason why callers may use the server's credentials. */
  readonly writes: ReadonlyMap<string, string>;
  /** For each operation, the parameter that the server sets to the id of the caller's tenant. */
  readonly tenantParameters: ReadonlyMap<string, TenantParameter>;
  /** For each operation, the permission that its callers need. */
  readonly permissions: ReadonlyMap<string, string>;
  /** The members of error responses that clients see: `detail`, `error.message`, `errors.detail`. */
  readonly errors: ReadonlySet<string>;
  /** The vendor's rate limit, which all callers share. */
  readonly rateLimit?: RateLimit | undefined;
  /** Headers with fixed values that each call sends, by lower-case name. */
  readonly headers: ReadonlyMap<string, FixedHeader>;
};

type RateLimit = NonNullable<NonNullable<Operation["held"]>["rateLimit"]>;

type FixedHeader = { readonly value: string; readonly node: RestNode };

/** The sections of the file, by the document's name. */
export type CredentialsFile = ReadonlyMap<string, HeldDocument>;

type Path = readonly string[];

export const credentialsNode = (...path: Path): RestNode => ({
  file: credentialsFile,
  path,
  value: undefined,
});

/** Returns an empty map if the file does not exist. Throws `UnreadableSpec` with all structural errors of the file. */
export function readCredentialsFile(document: RestDocument): CredentialsFile {
  const root = document.valueAt(credentialsNode());
  if (root === undefined || root === null) return new Map();
  rejectDuplicates(document.duplicateKeys().filter(({ file }) => file === credentialsFile));
  const faults: UnreadableSpec[] = [];
  const fault = (path: Path, message: string): void =>
    void faults.push(unreadableSpec(credentialsFile, message, document.place(credentialsNode(...path))));
  const sections = entriesIn(root, [], "a map of documents' names to their credentials", fault);
  const file = new Map(sections.map(([name, value]) => [name, readDocument(name, value, fault)]));
  if (faults.length > 0) throw new UnreadableSpec(faults.flatMap(({ diagnostics }) => diagnostics));
  return file;
}

type Fault = (path: Path, message: string) => void;

const heldMembers = [
  "origin",
  "schemes",
  "everyTenantMay",
  "tenantParameters",
  "writes",
  "permissions",
  "errors",
  "rateLimit",
];
const members = [...heldMembers, "headers"];

function readDocument(name: string, value: unknown, fault: Fault): HeldDocument {
  const given = new Map(entriesIn(value, [name], `a map with ${listed(members)}`, fault));
  const hasUnknown = addUnknownMembers([name], given.keys(), ["a document", members], fault);
  const headers = readHeaders([name, "headers"], given.get("headers"), fault);
  if (headers.size > 0 && !heldMembers.some((member) => given.has(member)))
    return {
      schemes: new Map(),
      everyTenantMay: new Map(),
      tenantParameters: new Map(),
      writes: new Map(),
      permissions: new Map(),
      errors: new Set(),
      headers,
    };
  const isMisspelt = (member: string): boolean => hasUnknown && !given.has(member);
  const schemes = isMisspelt("schemes")
    ? []
    : entriesIn(given.get("schemes"), [name, "schemes"], "a map of security schemes", fault);
  return {
    headers,
    origin: isMisspelt("origin") ? "" : readOrigin(name, given.get("origin"), fault),
    schemes: new Map(
      schemes.map(([scheme, each]) => [scheme, readScheme([name, "schemes", scheme], each, fault)]),
    ),
    everyTenantMay: readReasons([name, "everyTenantMay"], given.get("everyTenantMay"), fault),
    tenantParameters: readTenantParameters([name, "tenantParameters"], given.get("tenantParameters"), fault),
    errors: readErrors([name, "errors"], given.get("errors"), fault),
    writes: readReasons([name, "writes"], given.get("writes"), fault),
    permissions: readPermissions([name, "permissions"], given.get("permissions"), fault),
    rateLimit: readRateLimit([name, "rateLimit"], given.get("rateLimit"), fault),
  };
}

/** Requires a serialized origin (RFC 6454 §6.2) that uses TLS or a loopback host. */
function readOrigin(name: string, value: unknown, fault: Fault): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (!url || url.origin !== value || !isPrivate(url))
    fault(
      [name, "origin"],
      "origin must be the origin of the vendor's API, such as https://api.example.com: https://, in lower case, without a path; http:// only for this machine (localhost, 127.0.0.0/8, [::1])",
    );
  return String(value);
}

const isPrivate = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopback(hostname));

/** Accepts only a single path segment, so that the name cannot lead out of `CREDENTIALS_DIRECTORY`. */
const isFileName = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9][\w.-]{0,127}$/.test(value);

function readScheme(path: Path, value: unknown, fault: Fault): HeldScheme {
  const given = entriesIn(value, path, "a map with file or filePerTenant", fault);
  const known = given.filter(([key]) => key === "file" || key === "filePerTenant");
  const keys = given.map(([key]) => key);
  const hasUnknown = addUnknownMembers(path, keys, ["a security scheme", schemeMembers], fault);
  const grant = given.find(([key]) => key === grantMember);
  const token = grant && readGrant([...path, grantMember], grant[1], fault);
  const [entry] = known;
  if (!entry || known.length > 1) {
    if (isRecord(value) && !(hasUnknown && !entry))
      fault(
        path,
        "needs either file (one credential for all tenants) or filePerTenant (a folder with one file per tenant)",
      );
    return { file: "" };
  }
  const [key, file] = entry;
  if (!isFileName(file)) {
    fault(
      [...path, key],
      `${key} must be a name in CREDENTIALS_DIRECTORY: letters, digits, ".", "_" and "-", without a path`,
    );
    return { file: "" };
  }
  return { file, ...(key === "filePerTenant" && { perTenant: true }), ...(token && { token }) };
}

const grantMember = "oauth2ClientCredentials";
const schemeMembers = ["file", "filePerTenant", grantMember];
const grantMembers = ["tokenUrl", "scopes", "authentication"];

/** Reads the settings of OAuth 2's client credentials grant. The client's id and secret are in the scheme's credential file. */
function readGrant(path: Path, value: unknown, fault: Fault): TokenEndpoint {
  const given = new Map(entriesIn(value, path, `a map with ${listed(grantMembers)}`, fault));
  const hasUnknown = addUnknownMembers(path, given.keys(), [grantMember, grantMembers], fault);
  const [tokenUrl, scopes, authentication = "basic"] = grantMembers.map((key) => given.get(key));
  const url = typeof tokenUrl === "string" ? URL.parse(tokenUrl) : null;
  const isUrl = url && isPrivate(url) && url.username === "" && url.password === "" && url.hash === "";
  if (!isUrl && !(hasUnknown && tokenUrl === undefined))
    fault(
      [...path, "tokenUrl"],
      "tokenUrl must be an https:// URL without a user and a fragment; http:// only for this machine (localhost, 127.0.0.0/8, [::1])",
    );
  const isList = Array.isArray(scopes) && scopes.length > 0;
  if (scopes !== undefined && !(isList && scopes.every(isScope)))
    fault([...path, "scopes"], "scopes must be a list of scopes (RFC 6749 §3.3)");
  if (authentication !== "basic" && authentication !== "post")
    fault([...path, "authentication"], "authentication must be basic or post (RFC 6749 §2.3.1)");
  return {
    url: url?.href ?? "",
    ...(isList && { scope: scopes.join(" ") }),
    ...(authentication === "post" && { inBody: true }),
  };
}

const isScope = (value: unknown): boolean =>
  typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);

function readErrors(path: Path, value: unknown, fault: Fault): ReadonlySet<string> {
  if (value === undefined) return new Set();
  const names = Array.isArray(value) ? value : [];
  const isList = names.length > 0 && names.every((each) => typeof each === "string");
  if (!isList) fault(path, "errors must be a list of members of errors, such as [detail, errors.detail]");
  return new Set(isList ? names : []);
}

function checkOperationName(where: Path, operation: string, fault: Fault): void {
  if (!/^[A-Z]+ \/\S*$/.test(operation))
    fault(where, `"${operation}" must be a method and a path as in the document, such as GET /things/{id}`);
}

const tenantLocations = ["path", "query", "header", "body"] as const;

/** Reads entries such as `GET /accounts/{account}/things: { path: account }`. */
function readTenantParameters(
  path: Path,
  value: unknown,
  fault: Fault,
): ReadonlyMap<string, TenantParameter> {
  if (value === undefined || value === null) return new Map();
  const entries = entriesIn(value, path, 'a map such as "GET /things: { query: account }"', fault);
  return new Map(
    entries.flatMap(([operation, given]): [string, TenantParameter][] => {
      const where = [...path, operation];
      checkOperationName(where, operation, fault);
      const [[key, name] = [], ...others] = isRecord(given) ? Object.entries(given) : [];
      const location = tenantLocations.find((each) => each === key);
      if (location && typeof name === "string" && name !== "" && others.length === 0)
        return [[operation, { in: location, name }]];
      fault(
        where,
        `"${operation}" needs one parameter, such as { path: account }: path, query, header or body`,
      );
      return [];
    }),
  );
}

/** Headers that cannot have a fixed value, because the server, a cache or a proxy sets them for each request. */
const ownHeaders = /^(?:if-.*|range|content-.*|forwarded|x-forwarded-.*|via|date|set-cookie)$/;

/** Names of headers that usually contain a secret, which a fixed value would copy to `generated/`. */
const secretHeaders =
  /(?:^|-)(?:api-?)?(?:auth.*|.*keys?|.*tokens?|.*secrets?|pass.*|credentials?|session.*|signature)(?:-|$)/;

function readHeaders(path: Path, value: unknown, fault: Fault): HeldDocument["headers"] {
  if (value === undefined) return new Map();
  const headers = new Map<string, FixedHeader>();
  const spellings = new Set<string>();
  for (const [written, text] of entriesIn(value, path, 'a map such as X-Api-Version: "2"', fault)) {
    const where = [...path, written];
    const name = headerName(written);
    const spelling = canonicalHeader(written);
    if (name === undefined) fault(where, `"${written}" is not the name of a header (RFC 9110 §5.1)`);
    else if (spellings.has(spelling)) fault(where, `the header "${written}" is fixed twice`);
    else if (isNeverCredential(name) || ownHeaders.test(spelling))
      fault(
        where,
        `the header "${written}" cannot be fixed: it belongs to the connection, the gateway or this layer`,
      );
    else if (secretHeaders.test(spelling))
      fault(
        where,
        `the header "${written}" looks like a credential, and values here are in generated/: declare a security scheme, and hold it in schemes`,
      );
    else if (typeof text !== "string" || !/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text))
      fault(
        where,
        `the value of "${written}" must be a text of visible ASCII characters (RFC 9110 §5.5); put a number or a date in quotes`,
      );
    else headers.set(name, { value: text, node: credentialsNode(...where) });
    spellings.add(spelling);
  }
  return headers;
}

function readReasons(path: Path, value: unknown, fault: Fault): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map();
  return new Map(
    entriesIn(value, path, 'a map such as "GET /things/{id}: <why>"', fault).map(([operation, reason]) => {
      const where = [...path, operation];
      checkOperationName(where, operation, fault);
      const text = typeof reason === "string" ? reason.trim().replace(/^<\w+>$/, "") : "";
      if (text === "") fault(where, `"${operation}" needs a reason after the colon`);
      return [operation, text];
    }),
  );
}

function readPermissions(path: Path, value: unknown, fault: Fault): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map();
  return new Map(
    entriesIn(value, path, 'a map such as "GET /things/{id}: things:read"', fault).map(
      ([operation, name]) => {
        const where = [...path, operation];
        checkOperationName(where, operation, fault);
        if (!isScope(name) || String(name).includes(","))
          fault(
            where,
            `"${operation}" needs the name of one permission after the colon, without spaces, commas and quotes`,
          );
        return [operation, String(name)];
      },
    ),
  );
}

/** The longest window, in seconds. Requests are counted in memory, so a restart during a long window would lose many counts. */
const mostSeconds = 86_400;

function readRateLimit(path: Path, value: unknown, fault: Fault): RateLimit | undefined {
  if (value === undefined) return undefined;
  const given = new Map(isRecord(value) ? Object.entries(value) : []);
  const requests = given.get("requests");
  const seconds = given.get("seconds");
  if (given.size === 2 && isPositive(requests) && isPositive(seconds) && seconds <= mostSeconds)
    return { requests, seconds };
  fault(
    path,
    `rateLimit must be the vendor's limit, such as { requests: 900, seconds: 60 }: whole numbers above 0, and at most ${mostSeconds} seconds`,
  );
  return undefined;
}

const isPositive = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Reports unknown members. Returns `true` if there are any, so that a misspelt member is not also reported as missing. */
function addUnknownMembers(
  path: Path,
  given: Iterable<string>,
  [owner, members]: readonly [string, readonly string[]],
  fault: Fault,
): boolean {
  const unknown = [...given].filter((key) => !members.includes(key));
  for (const key of unknown)
    fault([...path, key], `"${key}" is not supported: ${owner} has ${listed(members)}`);
  return unknown.length > 0;
}

function entriesIn(value: unknown, path: Path, what: string, fault: Fault): [string, unknown][] {
  const entries = isRecord(value) ? Object.entries(value) : [];
  if (entries.length === 0) fault(path, `${path.at(-1) ?? "the file"} must be ${what}`);
  return entries;
}

const listed = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names);
