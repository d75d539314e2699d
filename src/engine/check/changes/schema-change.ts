/** One change of the schema file, as data. */
import type { ChangeClass } from "../report.ts";

export type SchemaChange = {
  readonly rule: string;
  readonly class: ChangeClass;
  readonly coordinate: string;
  /** The coordinates that an operation selects, if it cannot select the first one. */
  readonly reached?: readonly string[];
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
};
