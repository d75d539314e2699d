/** One change of the schema file, as data. */
import { type ChangeClass, schemaRules } from "./change-rules.ts";

export type SchemaChange = {
  readonly rule: keyof typeof schemaRules;
  readonly class: ChangeClass;
  readonly coordinate: string;
  /** The coordinates that an operation selects, if it cannot select the first one. */
  readonly reached?: readonly string[];
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
};

/** A change of its rule's class. */
export const schemaChange = (
  rule: SchemaChange["rule"],
  coordinate: string,
  message: string,
  before: unknown,
  after: unknown,
): SchemaChange => ({ rule, class: schemaRules[rule].classes[0], coordinate, message, before, after });
