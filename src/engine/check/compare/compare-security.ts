/**
 * Compares the security requirements of operations (OpenAPI 3.1 §4.8.30) and the security schemes. A requirement is a
 * list of alternatives, each a set of schemes with scopes. A change breaks callers who met an alternative before and
 * meet none now, and callers whose credential REST reads from another place now. A change of the document's own
 * requirement is one change for all operations that inherit it.
 */
import type { Model } from "../../bind/model.ts";
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import { methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import { securityRequirementsOf, securitySchemeOf } from "../../openapi/security.ts";
import { isRecord } from "../../standards/json-object.ts";
import type { RestChange } from "./rest-change.ts";
import type { RestChangeCollector } from "./rest-change-collector.ts";

/** `scheme` and `scheme:scope` strings. The empty set admits everybody. */
type Alternative = ReadonlySet<string>;
type Requirement = { readonly owner: RestNode; readonly alternatives: readonly Alternative[] };

export function compareSecurity(
  changes: RestChangeCollector,
  base: Model,
  head: Model,
  pairs: readonly (readonly [RestOperation, RestOperation])[],
): void {
  const found = new Map<string, RestChange>();
  for (const [old, now] of pairs) {
    const [before, after] = [alternativesOf(base, old), alternativesOf(head, now)];
    const key = `${nodeKey(before.owner)} ${nodeKey(after.owner)}`;
    const known = found.get(key);
    const isRoot = before.owner === base.document.root && after.owner === head.document.root;
    const change = known ?? changeOf(isRoot ? "every operation" : methodAndPath(old), before, after);
    if (change) found.set(key, { ...change, operations: [...(known?.operations ?? []), { id: old.id }] });
  }
  for (const change of found.values()) changes.add(change);
  for (const change of schemeChanges(base, head, pairs)) changes.add(change);
}

/** Schemes that keep their name and take another credential now. */
function schemeChanges(
  base: Model,
  head: Model,
  pairs: readonly (readonly [RestOperation, RestOperation])[],
): RestChange[] {
  const names = new Set(
    pairs.flatMap(([old]) => alternativesOf(base, old).alternatives.flatMap((one) => [...one])),
  );
  return [...names].flatMap((name) => {
    const [old, now] = [securitySchemeOf(base.document, name), securitySchemeOf(head.document, name)];
    const [was, is] = [credential(old), credential(now)];
    const changed = credentialMembers.find((member) => was[member] !== is[member]);
    if (!old || !now || !changed) return [];
    const [before, after] = [was, is].map((each) => Object.values(each).join(" "));
    const users = pairs.filter(([used]) =>
      alternativesOf(base, used).alternatives.some((one) => one.has(name)),
    );
    return {
      rule: "rest-security-changed",
      class: "breaking",
      at: `security scheme ${name}`,
      message: `the credential ${name} is ${after} now, it was ${before}`,
      ...{ before, after, old, new: now },
      below: [changed],
      joins: [],
      operations: users.map(([{ id }]) => ({ id })),
    };
  });
}

const credentialMembers = ["type", "in", "name", "scheme", "openIdConnectUrl"];

/** The credential and its place (OpenAPI 3.1 §4.8.27). Names of headers and of HTTP schemes are case-insensitive. */
function credential(node: RestNode | undefined): Record<string, string> {
  const scheme = isRecord(node?.value) ? node.value : {};
  const isInAnyCase = (member: string): boolean =>
    member === "scheme" || (member === "name" && scheme.in === "header");
  return Object.fromEntries(
    credentialMembers.flatMap((member) => {
      if (scheme[member] === undefined) return [];
      const text = String(scheme[member]);
      return [[member, isInAnyCase(member) ? text.toLowerCase() : text]];
    }),
  );
}

function changeOf(at: string, before: Requirement, after: Requirement): RestChange | undefined {
  const firstRefused = (from: Requirement, to: Requirement): number =>
    from.alternatives.findIndex(
      (held) => !to.alternatives.some((asked) => [...asked].every((part) => held.has(part))),
    );
  const lost = firstRefused(before, after);
  if (lost < 0 && firstRefused(after, before) < 0) return undefined;
  const refused = before.alternatives[lost];
  return {
    rule: "rest-security-changed",
    class: lost < 0 ? "safe" : "breaking",
    at,
    message:
      !refused || refused.size === 0
        ? `${at} takes ${requirementText(after)} now, it took ${requirementText(before)}`
        : `${at} refuses ${alternativeText(refused)} alone now: it takes ${requirementText(after)}`,
    before: requirementText(before),
    after: requirementText(after),
    old: before.owner,
    new: after.owner,
    below: ["security", Math.max(lost, 0)],
    joins: [],
  };
}

/** `OAuth2 (files:read, projects:read) and Key`. A scheme's name holds no colon (OpenAPI 3.1 §4.8.7). */
function alternativeText(alternative: Alternative): string {
  const scopes = Map.groupBy(alternative, (part) => part.split(":", 1)[0] ?? "");
  const texts = [...scopes].map(([scheme, parts]) => {
    const own = parts.flatMap((part) => (part === scheme ? [] : [part.slice(scheme.length + 1)]));
    return own.length === 0 ? scheme : `${scheme} (${own.join(", ")})`;
  });
  return texts.join(" and ") || "no credentials";
}

const requirementText = ({ alternatives }: Requirement): string =>
  alternatives.map(alternativeText).sort().join(" or ");

function alternativesOf({ document }: Model, operation: RestOperation): Requirement {
  const { owner, alternatives } = securityRequirementsOf(document, operation);
  return { owner, alternatives: alternatives.map(toAlternative) };
}

const toAlternative = (requirement: Readonly<Record<string, unknown>>): Alternative =>
  new Set(
    Object.entries(requirement).flatMap(([scheme, scopes]) => [
      scheme,
      ...(Array.isArray(scopes) ? scopes.map((scope) => `${scheme}:${scope}`) : []),
    ]),
  );
