/** The value that codegen makes of a spec (`generated/index.ts`). A start serves it. */
import type { Operations } from "../../shared/operation.ts";

/** Annotations of a tool that writes (MCP, Schema Reference, `ToolAnnotations`). */
export type WriteHints = { readonly idempotentHint: boolean; readonly destructiveHint: boolean };

/** A saved operation. `id` is the SHA-256 digest of `body`, in hexadecimal digits. */
export type ManifestEntry = {
  readonly id: string;
  readonly name: string;
  readonly body: string;
  /** Of a tool for agents: its description. */
  readonly tool?: string | undefined;
  /** Of a tool that is a mutation. */
  readonly hints?: WriteHints | undefined;
};

/** Facts on a field's arguments by its schema coordinate, then by name. */
type ByArgument<Fact> = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

/** A way from a representation of an entity to its object: by a key of the entity. */
export type EntityReference = {
  /**
   * The fields of the key: the argument and the path of each, and the name of its type. Without a `field`, the representation is the
   * object: `property` is REST's name, and REST has the ID of `isInteger` as an integer.
   */
  readonly keys: readonly {
    readonly argument: string;
    readonly path: readonly string[];
    readonly type: string;
    readonly property?: string;
    readonly isInteger?: boolean;
    /** Not of the key: what a field of the type needs (`@requires`). */
    readonly isOptional?: boolean;
  }[];
  /** The resolver of Query that takes the key. */
  readonly field?: string;
  /** The resolver takes up to `size` keys; `match` is the path of the key in each item. */
  readonly batch?: { readonly size: number; readonly match: readonly string[] };
};

export type GeneratedApi = {
  /** The file of the schema that clients see. */
  readonly schema: URL;
  /** The resolvers by GraphQL type and field; of an enum, REST's values. */
  readonly resolvers: Readonly<Record<string, object>>;
  readonly operations: Operations;
  /** The headers of requests that the document declares, which the gateway forwards. */
  readonly requestHeaders: readonly string[];
  /** JSON Schema of each argument's value. */
  readonly argumentSchemas: ByArgument<object>;
  /** REST name → argument, where they differ. */
  readonly argumentNames: ByArgument<string>;
  readonly savedOperations: readonly ManifestEntry[];
  /** The hash of the spec. */
  readonly specHash: string;
  /** Of a federation subgraph: its schema for composition, and the references of its entities by type. */
  readonly subgraph?: {
    readonly schema: URL;
    readonly references: Readonly<Record<string, readonly EntityReference[]>>;
  };
  /** What REST deprecates, by schema coordinate: the days since when and until when, `YYYY-MM-DD`. */
  readonly deprecations?: Readonly<Record<string, { readonly since?: string; readonly sunset?: string }>>;
};
