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
  /** What REST deprecates, by schema coordinate: the days since when and until when, `YYYY-MM-DD`. */
  readonly deprecations?: Readonly<Record<string, { readonly since?: string; readonly sunset?: string }>>;
};
