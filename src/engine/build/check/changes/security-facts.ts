/**
 * Facts about the authorization of a call. A security requirement (OpenAPI 3.1 §4.8.30) is a list of alternatives, each a set of
 * schemes with scopes. A change breaks callers if their credentials no longer satisfy any alternative, or if a scheme (§4.8.27)
 * moves the credential to another location. A dropped scheme is reported too, because the server then stops forwarding its
 * credential, although REST may still require it.
 */
import { membersOf } from "../../../shared/json-object.ts";
import type { BoundField, Model } from "../../bind/model.ts";
import { credentialUse } from "../../openapi/held-credentials.ts";
import { methodAndPath } from "../../openapi/operation.ts";
import { schemesOf, securityRequirementsOf } from "../../openapi/security.ts";
import { type Differing, differing } from "./change.ts";
import { type Fact, fact, type StatedFact } from "./fact.ts";

/** An alternative as `scheme` and `scheme:scope` strings. An empty set allows anonymous calls. */
type Alternative = ReadonlySet<string>;

const alternativesOf = ({ operation }: BoundField) => {
  const { owner, alternatives } = securityRequirementsOf(operation);
  return { owner, alternatives: alternatives.map(toAlternative) };
};

const toAlternative = (requirement: Readonly<Record<string, unknown>>): Alternative =>
  new Set(
    Object.entries(requirement).flatMap(([scheme, scopes]) => [
      scheme,
      ...(Array.isArray(scopes) ? scopes.map((scope) => `${scheme}:${scope}`) : []),
    ]),
  );

function requirementOf(field: BoundField): StatedFact<readonly Alternative[]>[] {
  const { owner, alternatives } = alternativesOf(field);
  return [{ node: owner, below: ["security"], value: alternatives }];
}

function judgeRequirement(
  before: readonly Alternative[],
  after: readonly Alternative[],
): Differing | undefined {
  const isMet = (held: Alternative): boolean => after.some((asked) => holds(held, asked));
  const lost = before.find((held) => !isMet(held));
  if (!lost) return undefined;
  const was = requirementText(before);
  const is = requirementText(after);
  const own = before.length > 1 ? ` where ${alternativeText(lost)} was enough` : "";
  const phrase = own === "" ? `takes ${is} now, it took ${was}` : `takes ${is} now${own}`;
  return differing("rest-security-changed", scopesMore(lost, after) ?? phrase, { before: was, after: is });
}

type Forwarded = { readonly alternatives: readonly Alternative[]; readonly isHeld: boolean };

function forwardedOf(field: BoundField, { document, held }: Model): StatedFact<Forwarded>[] {
  const { owner, alternatives } = alternativesOf(field);
  const { of } = credentialUse(document, held, field.operation);
  const isHeld = of === "server" || of === "tenant";
  return [{ node: owner, below: ["security"], value: { alternatives, isHeld } }];
}

/**
 * Reports schemes that no alternative contains any more. Skips changes that `judgeRequirement` reports. Skips operations that had
 * a credential of the server, because `judgeOwner` reports their changes.
 */
function judgeForwarded(before: Forwarded, after: Forwarded): Differing | undefined {
  const isStillSent = schemesIn(after.alternatives);
  const dropped = [...schemesIn(before.alternatives)].filter((scheme) => !isStillSent.has(scheme)).sort();
  const isReported = before.isHeld || judgeRequirement(before.alternatives, after.alternatives);
  if (dropped.length === 0 || isReported) return undefined;
  const names = dropped.join(", ");
  const phrase = `no longer declares ${names}, so the caller's credential is not sent any more`;
  return differing("rest-credential-dropped", phrase, { before: names, after: "none" });
}

const schemesIn = (alternatives: readonly Alternative[]): ReadonlySet<string> =>
  new Set(alternatives.flatMap((each) => [...each].map(schemeOf)));

const holds = (outer: Alternative, inner: Alternative): boolean =>
  [...inner].every((part) => outer.has(part));

/** Describes the change if the same schemes now require additional scopes; otherwise returns `undefined`. */
function scopesMore(lost: Alternative, after: readonly Alternative[]): string | undefined {
  const schemes = (of: Alternative): Alternative => new Set([...of].map(schemeOf));
  const now = after.find((each) => holds(each, lost) && holds(schemes(lost), schemes(each)));
  return (
    now &&
    `needs ${alternativeText(new Set([...now].filter((part) => !lost.has(part))), "the scope ")} too now`
  );
}

/**
 * Prints an alternative as `OAuth2 (files:read, projects:read) and Key`. A scheme's name cannot contain a colon (OpenAPI 3.1
 * §4.8.7), so the first colon ends the name.
 */
function alternativeText(alternative: Alternative, before = ""): string {
  const scopes = Map.groupBy(alternative, schemeOf);
  const texts = [...scopes].map(([scheme, parts]) => {
    const own = parts.flatMap((part) => (part === scheme ? [] : [part.slice(scheme.length + 1)]));
    if (before !== "") return `${before}${own.join(", ")} of ${scheme}`;
    return own.length === 0 ? scheme : `${scheme} (${own.join(", ")})`;
  });
  return texts.join(" and ") || "no credentials";
}

const schemeOf = (part: string): string => part.split(":", 1)[0] ?? "";

const requirementText = (alternatives: readonly Alternative[]): string =>
  alternatives
    .map((each) => alternativeText(each))
    .sort()
    .join(" or ");

type Scheme = Readonly<Record<string, unknown>>;

const credentialsOf = (field: BoundField, model: Model): StatedFact<Scheme>[] =>
  schemesOf(model.document, field.operation)
    .flat()
    .flatMap(({ name, node }) => (node ? [{ key: name, node, value: membersOf(node.value) }] : []));

function judgeCredential(was: Scheme, is: Scheme): Differing | undefined {
  const changed = credentialMembers.find((member) => partOf(was, member) !== partOf(is, member));
  if (!changed) return undefined;
  const textOf = (scheme: Scheme, read = partOf): string =>
    credentialMembers.flatMap((member) => read(scheme, member) ?? []).join(" ");
  const old = textOf(was, (scheme, member) => scheme[member]);
  const now = textOf(is, (scheme, member) => scheme[member]);
  return differing("rest-security-changed", `is ${now} now, it was ${old}`, {
    before: textOf(was),
    after: textOf(is),
    below: [changed],
  });
}

const credentialMembers = ["type", "in", "name", "scheme", "openIdConnectUrl", "x-from-header"] as const;

/** Lower-cases header names and HTTP schemes, which are case-insensitive. */
function partOf(scheme: Scheme, member: (typeof credentialMembers)[number]): unknown {
  const isInAnyCase =
    /^(?:scheme|x-from-header)$/.test(member) || (member === "name" && scheme.in === "header");
  const text = scheme[member] === undefined ? undefined : String(scheme[member]);
  return isInAnyCase ? text?.toLowerCase() : text;
}

/** Reads from `spec/credentials.yaml` whether calls carry the server's or the caller's credential. */
function ownerOf({ operation }: BoundField, { document, held }: Model): StatedFact<CredentialOwner>[] {
  const { of, texts } = credentialUse(document, held, operation);
  const isHeld = of === "server" || of === "tenant";
  return [{ key: "owner", node: operation.node, value: { isHeld, text: texts.join(" and ") } }];
}

type CredentialOwner = { readonly isHeld: boolean; readonly text: string };

/**
 * Reports that calls now carry the server's credential instead of the caller's, or the reverse, or another credential of the
 * server. `judgeRequirement` and `judgeCredential` report changes of a caller's credential.
 */
function judgeOwner(was: CredentialOwner, is: CredentialOwner): Differing | undefined {
  if (was.text === is.text || !(was.isHeld || is.isHeld)) return undefined;
  return differing(
    "credential-owner-changed",
    `carries this credential now: ${is.text}; it was: ${was.text}`,
    { before: was.text, after: is.text, cause: JSON.stringify([was.text, is.text]) },
  );
}

const fixedHeadersOf = ({ operation }: BoundField, { calledOperations }: Model): StatedFact<string>[] => {
  const { headers = {} } = calledOperations.get(methodAndPath(operation)) ?? {};
  const value = Object.entries(headers).map(([name, text]) => `${name}: ${text}`);
  return [{ key: "headers", node: operation.node, value: value.sort().join(", ") }];
};

function judgeFixedHeaders(was: string, is: string): Differing | undefined {
  if (was === is) return undefined;
  return differing(
    "fixed-header-changed",
    `carries the fixed headers ${is || "(none)"} now, they were ${was || "(none)"}`,
    { before: was, after: is, cause: JSON.stringify([was, is]) },
  );
}

export const securityFacts: readonly Fact[] = [
  fact(requirementOf, judgeRequirement),
  fact(forwardedOf, judgeForwarded),
  fact(credentialsOf, judgeCredential),
  fact(ownerOf, judgeOwner),
  fact(fixedHeadersOf, judgeFixedHeaders),
];
