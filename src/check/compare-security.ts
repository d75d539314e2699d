/**
 * Who may call an operation (OpenAPI 3.1 §4.8.30): alternatives, each a set of schemes with their scopes. A caller who
 * fulfilled one before and fulfils none now is refused, and so is one whose credential is read from another place. What
 * the whole document says is one change for all its operations.
 */
import type { Model } from "../spec/model.ts";
import { methodAndPath, type RestOperation } from "../spec/operations.ts";
import { isRecord, nodeKey, type RestNode } from "../spec/rest-document.ts";
import { schemeOf, securityOf } from "../spec/security.ts";
import type { RestChange, RestChanges } from "./rest-change.ts";

/** Scheme, or scheme and scope, as strings; none: anybody. */
type Alternative = ReadonlySet<string>;
type Security = { readonly owner: RestNode; readonly alternatives: readonly Alternative[] };

export function compareSecurity(
  changes: RestChanges,
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
    if (change) found.set(key, { ...change, operations: [...(known?.operations ?? []), old.id] });
  }
  for (const change of found.values()) changes.add(change);
  for (const change of schemeChanges(base, head, pairs)) changes.add(change);
}

/** Schemes that tell another credential by their old name, with the operations that take it. */
function schemeChanges(
  base: Model,
  head: Model,
  pairs: readonly (readonly [RestOperation, RestOperation])[],
): RestChange[] {
  const names = new Set(
    pairs.flatMap(([old]) => alternativesOf(base, old).alternatives.flatMap((one) => [...one])),
  );
  return [...names].flatMap((name) => {
    const [old, now] = [schemeOf(base.document, name), schemeOf(head.document, name)];
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
      operations: users.map(([{ id }]) => id),
    };
  });
}

const credentialMembers = ["type", "in", "name", "scheme", "openIdConnectUrl"];

/** What is sent, and where (OpenAPI 3.1 §4.8.27); names of headers and of HTTP's schemes are case-insensitive. */
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

function changeOf(at: string, before: Security, after: Security): RestChange | undefined {
  const refused = (from: Security, to: Security): number =>
    from.alternatives.findIndex(
      (held) => !to.alternatives.some((asked) => [...asked].every((part) => held.has(part))),
    );
  const lost = refused(before, after);
  if (lost < 0 && refused(after, before) < 0) return undefined;
  return {
    rule: "rest-security-changed",
    class: lost < 0 ? "safe" : "breaking",
    at,
    message:
      lost < 0
        ? `${at} takes ${text(after)} now, it took ${text(before)}`
        : `${at} refuses ${name(before.alternatives[lost])} alone now: it takes ${text(after)}`,
    before: text(before),
    after: text(after),
    old: before.owner,
    new: after.owner,
    below: ["security", Math.max(lost, 0)],
    joins: [],
  };
}

const name = (alternative: Alternative = new Set()): string =>
  [...alternative].join(" with ") || "no credentials";
const text = ({ alternatives }: Security): string => alternatives.map(name).sort().join(" or ");

function alternativesOf({ document }: Model, operation: RestOperation): Security {
  const { owner, alternatives } = securityOf(document, operation);
  return { owner, alternatives: alternatives.map(alternative) };
}

const alternative = (entry: Readonly<Record<string, unknown>>): Alternative =>
  new Set(
    Object.entries(entry).flatMap(([scheme, scopes]) => [
      scheme,
      ...(Array.isArray(scopes) ? scopes.map((scope) => `${scheme}:${scope}`) : []),
    ]),
  );
