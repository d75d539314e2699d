/** The type of the value that codegen generates from a spec (`generated/index.ts`) and that the roles serve. */
import type { Operations, ScopeRequirement } from "../../shared/operation.ts";

/** Annotations of a tool that writes (MCP, Schema Reference, `ToolAnnotations`). */
export type WriteHints = { readonly idempotentHint: boolean; readonly destructiveHint: boolean };

/** A saved operation. `id` is the SHA-256 digest of `body`, in hexadecimal digits. */
export type ManifestEntry = {
  readonly id: string;
  readonly name: string;
  readonly body: string;
  /** The description, if the operation is a tool for agents. */
  readonly tool?: string | undefined;
  /** Present if the operation is a tool and a mutation. */
  readonly hints?: WriteHints | undefined;
  /** The scope requirements of each REST operation behind a tool, if there are any. */
  readonly scopes?: readonly (readonly ScopeRequirement[])[] | undefined;
};

/** A value for each argument, by the field's schema coordinate and then by the argument's name. */
type ByArgument<Fact> = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

/** How an entity's representation is resolved by one of the entity's keys. */
export type EntityReference = {
  /**
   * The fields of the key: for each, the resolver's argument, the path in the representation and the name of the type. If `field`
   * is absent, the entity is built from the representation without a REST call: `property` is then REST's name of the value, and
   * with `isInteger`, REST represents the ID as an integer.
   */
  readonly keys: readonly {
    readonly argument: string;
    readonly path: readonly string[];
    readonly type: string;
    readonly property?: string;
    readonly isInteger?: boolean;
    /** Set for a field that is not part of the key, but that a field of the type needs (`@requires`). */
    readonly isOptional?: boolean;
  }[];
  /** The field of Query whose resolver takes the key. */
  readonly field?: string;
  /** Present if the resolver accepts a list of up to `size` keys. `match` is the path of the key in each item. */
  readonly batch?: { readonly size: number; readonly match: readonly string[] };
};

export type GeneratedApi = {
  /** The file of the schema that clients see. */
  readonly schema: URL;
  /** The resolvers by GraphQL type and field; for an enum, REST's values. */
  readonly resolvers: Readonly<Record<string, object>>;
  readonly operations: Operations;
  /** The headers of requests that the document declares, which the gateway forwards. */
  readonly requestHeaders: readonly string[];
  /** JSON Schema of each argument's value. */
  readonly argumentSchemas: ByArgument<object>;
  /** Maps a REST name to the name of its argument, where the two differ. */
  readonly argumentNames: ByArgument<string>;
  readonly savedOperations: readonly ManifestEntry[];
  /** The hash of the spec. */
  readonly specHash: string;
  /** Present for a federation subgraph: its schema for composition, and how its entities are resolved, by type. */
  readonly subgraph?: {
    readonly schema: URL;
    readonly references: Readonly<Record<string, readonly EntityReference[]>>;
  };
  /** The deprecations that REST declares, by schema coordinate: the dates of deprecation and removal, `YYYY-MM-DD`. */
  readonly deprecations?: Readonly<Record<string, { readonly since?: string; readonly sunset?: string }>>;
};
