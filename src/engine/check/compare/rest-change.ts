/** One difference between two OpenAPI documents, as data: its rule, its class and the schema coordinates it reaches. */
import type { Direction } from "../../bind/model.ts";
import type { RestNode } from "../../openapi/document.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import type { ChangeClass } from "../report.ts";

/** Every rule; `docs/rules.md` explains each with an example. */
export const restRules = [
  "rest-operation-removed",
  "rest-operation-added",
  "rest-operation-renamed",
  "rest-operation-moved",
  "rest-method-changed",
  "rest-product-changed",
  "rest-permission-changed",
  "rest-security-changed",
  "rest-not-found-changed",
  "rest-answer-removed",
  "rest-answer-empty",
  "rest-body-changed",
  "rest-parameter-removed",
  "rest-parameter-added",
  "rest-parameter-moved",
  "rest-style-changed",
  "rest-required-changed",
  "rest-nullable-changed",
  "rest-type-changed",
  "rest-format-changed",
  "rest-enum-changed",
  "rest-limit-changed",
  "rest-default-changed",
  "rest-property-removed",
  "rest-property-added",
  "rest-items-changed",
  "rest-entries-changed",
  "rest-variants-changed",
] as const;

export type RestRule = (typeof restRules)[number];

export type OperationReach = { readonly id: string; readonly unlessFed?: string };

export type RestChange = {
  readonly rule: RestRule;
  readonly class: ChangeClass;
  /** The shared schema or parameter where it happened, or the operation and the place in its request or response. */
  readonly at: string;
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The node in the old and in the new document. Where a node is missing: the nearest node above it, or nothing. */
  readonly old?: RestNode;
  readonly new?: RestNode;
  /** The path from either node down to the difference. A document may hold only the start of the path. */
  readonly below?: NodePath;
  /** Only coordinates that use the joined nodes in this direction are reached; absent: both directions. */
  readonly direction?: Direction | undefined;
  /** The change reaches the coordinates that rest on these old nodes. */
  readonly joins: readonly RestNode[];
  /** Of the joined coordinates, only those of fields that are bound to this old operation are reached. */
  readonly within?: string;
  /** The change reaches the fields of these old operations, but not those that feed the parameter `unlessFed`. */
  readonly operations?: readonly OperationReach[];
};
