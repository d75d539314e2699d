/** Compares one operation with its successor: identity, permission, parameters, body and responses. */
import type { RestNode } from "../../openapi/document.ts";
import { methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import { includes } from "../../standards/media-type.ts";
import type { ChangeClass } from "../report.ts";
import { compareParameters } from "./compare-parameters.ts";
import type { RestRule } from "./rest-change.ts";
import type { ShapeComparison } from "./shape-comparison.ts";
import { standaloneUse } from "./shape-pair.ts";

type Add = (
  rule: RestRule,
  kind: ChangeClass,
  phrase: string,
  before: unknown,
  after: unknown,
  below?: NodePath,
) => void;

/** `root`: the root of the new document, the place of an operation that is gone. */
export function compareOperation(
  shapes: ShapeComparison,
  old: RestOperation,
  now: RestOperation | undefined,
  root: RestNode,
): void {
  const at = methodAndPath(old);
  const add: Add = (rule, kind, phrase, before, after, below = []) =>
    shapes.changes.add({
      rule,
      class: kind,
      at,
      message: `${at} ${phrase}`,
      before,
      after,
      old: old.node,
      new: now?.node ?? root,
      below,
      joins: [],
      operations: [{ id: old.id }],
    });
  if (!now) return add("rest-operation-removed", "breaking", `(${old.id}) is gone`, old.id, null);
  compareIdentity(old, now, add);
  compareParameters(shapes, old, now);
  compareBody(shapes, old, now, add);
  compareResponses(shapes, old, now, add);
}

function compareIdentity(old: RestOperation, now: RestOperation, add: Add): void {
  const differs: Add = (rule, kind, phrase, before, after, below) => {
    if (before !== after) add(rule, kind, phrase, before ?? null, after ?? null, below);
  };
  const { id, method, path, product, permission } = now;
  differs("rest-operation-renamed", "breaking", `is called ${id} now`, old.id, id, ["operationId"]);
  differs("rest-method-changed", "breaking", `is a ${method.toUpperCase()} now`, old.method, method);
  differs("rest-operation-moved", "breaking", `stands at ${path} now`, old.path, path);
  const belongs = `belongs to ${product || "no product"} now`;
  differs("rest-product-changed", "dangerous", belongs, old.product, product, ["tags"]);
  const needs = `needs ${permission ?? "no permission"} now`;
  differs("rest-permission-changed", "dangerous", needs, old.permission, permission, ["x-permission"]);
  const [had404, has404] = [old, now].map(({ statuses }) => statuses.includes("404"));
  const notFound = `${has404 ? "documents" : "no longer documents"} 404`;
  differs("rest-not-found-changed", "dangerous", notFound, had404, has404, ["responses", "404"]);
}

function compareBody(shapes: ShapeComparison, old: RestOperation, now: RestOperation, add: Add): void {
  const [before, after] = [old.body, now.body];
  if (before && after) {
    const { content } = after.node.value as { readonly content: object };
    const [was, is] = [before.media, after.media];
    if (!Object.keys(content).some((range) => includes(range, was)))
      add("rest-body-changed", "breaking", `takes a body in ${is} now, it was ${was}`, was, is, [
        "requestBody",
      ]);
    shapes.compare({
      at: `${methodAndPath(old)} body`,
      direction: "request",
      old: before,
      new: after,
      holder: { joins: [], operations: [{ id: old.id }] },
    });
  } else if (before) add("rest-body-changed", "breaking", "takes no body now", "body", null);
  else if (after)
    add("rest-body-changed", after.required ? "breaking" : "safe", "takes a body now", null, "body");
}

/** What is said of the successes that no field shows; nothing, if no success is left that one shows. */
function unshownAnswer({ successes }: RestOperation): string | undefined {
  const unshown = successes.filter(({ shape }) => !shape);
  if (unshown.some(({ media }) => media === undefined)) return "may answer without content now";
  const isMixed = unshown.length > 0 && unshown.length < successes.length;
  const media = unshown.map((each) => each.media).join(" or ");
  return isMixed ? `may answer in ${media} now, which is neither JSON nor text` : undefined;
}

function compareResponses(shapes: ShapeComparison, old: RestOperation, now: RestOperation, add: Add): void {
  const json = (operation: RestOperation) => operation.successes.filter(({ shape }) => shape);
  const [before, after] = [json(old), json(now)];
  const unshown = unshownAnswer(now);
  if (before.length === old.successes.length && unshown !== undefined)
    add("rest-answer-empty", "breaking", unshown, false, true);
  // the place of the change: the media type if the status is still there, else the status
  const hasStatus = now.successes.some(({ status }) => status === old.successPath[1]);
  const gone = old.successPath.slice(0, hasStatus ? undefined : 2);
  if (before.length > 0 && after.length === 0)
    add("rest-answer-removed", "breaking", "has no JSON answer now", "json", null, gone);
  for (const answer of after) {
    const was = before.find(({ status }) => status === answer.status) ?? before[0];
    if (!was?.shape || !answer.shape) continue;
    shapes.compare({
      at: `${methodAndPath(old)} answer`,
      direction: "response",
      old: standaloneUse(was.shape),
      new: standaloneUse(answer.shape),
    });
  }
}
