/** The type of the module that codegen generates from a spec (`generated/index.ts`). */
import type { Operations, ScopeRequirement } from "../../shared/operation.ts";

/** Annotations of an MCP tool that writes (MCP Schema Reference, `ToolAnnotations`). */
export type WriteHints = { readonly idempotentHint: boolean; readonly destructiveHint: boolean };

/** A saved operation. `id` is the SHA-256 digest of `body` in hexadecimal. */
export type ManifestEntry = {
  readonly id: string;
  readonly name: string;
  readonly body: string;
  /** The description for MCP, if the operation is a tool. */
  readonly tool?: string | undefined;
  /** Present for a mutation that is a tool. */
  readonly hints?: WriteHints | undefined;
  /** The scope requirements of each REST operation that the tool calls. */
  readonly scopes?: readonly (readonly ScopeRequirement[])[] | undefined;
};

/** Maps the schema coordinate of a field and the name of its argument to a value. */
type ByArgument<Fact> = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

/** How to resolve a representation by one of the entity's keys (`@key`). */
export type EntityReference = {
  /**
   * The fields of the key. The value at `path` in the representation has the GraphQL type `type` and is passed to the resolver as
   * `argument`. If the reference has no `field`, the entity is built from the representation, with no REST call, and the value
   * becomes the REST property `property`. `isInteger` means that REST represents the ID as an integer.
   */
  readonly keys: readonly {
    readonly argument: string;
    readonly path: readonly string[];
    readonly type: string;
    readonly property?: string;
    readonly isInteger?: boolean;
    /** Set for a field that is not in the key but is required by another field (`@requires`). */
    readonly isOptional?: boolean;
  }[];
  /** The Query field that resolves the entity by its key. */
  readonly field?: string;
  /** Present if `field` accepts a list of up to `size` keys. `match` is the path of the key in each returned item. */
  readonly batch?: { readonly size: number; readonly match: readonly string[] };
};

export type GeneratedApi = {
  /** URL of the schema file for clients. */
  readonly schema: URL;
  /** The resolvers by GraphQL type and field. For an enum, its REST values instead of resolvers. */
  readonly resolvers: Readonly<Record<string, object>>;
  readonly operations: Operations;
  /** Names of the header parameters in the OpenAPI document. The gateway forwards the headers with these names. */
  readonly requestHeaders: readonly string[];
  readonly argumentSchemas: ByArgument<object>;
  /** Maps each REST name to the name of its GraphQL argument, if the two names differ. */
  readonly argumentNames: ByArgument<string>;
  readonly savedOperations: readonly ManifestEntry[];
  readonly specHash: string;
  /**
   * Present for a federation subgraph: the schema for composition, and how to resolve the representations of each entity type.
   */
  readonly subgraph?: {
    readonly schema: URL;
    readonly references: Readonly<Record<string, readonly EntityReference[]>>;
  };
  /** The dates of deprecation and removal (`YYYY-MM-DD`) by schema coordinate. */
  readonly deprecations?: Readonly<Record<string, { readonly since?: string; readonly sunset?: string }>>;
};
