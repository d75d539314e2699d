/** One change of the schema file, as data. */
import type { ChangeClass } from "../report.ts";

export type SchemaChange = {
  readonly rule: string;
  readonly class: ChangeClass;
  readonly coordinate: string;
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
};
