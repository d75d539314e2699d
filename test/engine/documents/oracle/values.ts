/** Compares the values that two schemas allow, apart from what stands below them. */
import { accepts, type Reader, type Way } from "./ways.ts";

const numbers = new Set<unknown>(["int32", "int64", "float", "double"]);

export const mayBeNull = (reader: Reader, schemas: readonly unknown[]): boolean =>
  schemas.some((each) => reader.ways(each).some(({ types }) => types.has("null")));
export const mayBeObject = ({ types }: Way): boolean => types.size === 0 || types.has("object");

/** Whether a value may be one that it could not be before. An `Int` alone ends at 32 bits. */
export function allowsMore(before: readonly Way[], after: readonly Way[], type: string): boolean {
  if (before.length === 0 || after.length === 0) return before.length !== after.length;
  const types = (ways: readonly Way[]): Set<string> =>
    ways.some(({ types: each }) => each.size === 0)
      ? new Set()
      : new Set(ways.flatMap(({ types: each }) => [...each]));
  const old = types(before);
  const now = types(after);
  old.delete("null");
  now.delete("null");
  if (old.size > 0 && (now.size === 0 || [...now].some((type) => !accepts(old, type)))) return true;
  const formatOf = (ways: readonly Way[]): string | undefined =>
    ways.some(({ format }) => numbers.has(format) || format !== ways[0]?.format)
      ? undefined
      : String(ways[0]?.format ?? "") || undefined;
  if (formatOf(before) !== undefined && formatOf(before) !== formatOf(after)) return true;
  const wide = (ways: readonly Way[]): boolean => ways.some(({ format }) => format === "int64");
  if (type === "Int" && !wide(before) && wide(after)) return true;
  const enums = (ways: readonly Way[]): unknown[] | undefined =>
    ways.every(({ values }) => values) ? ways.flatMap(({ values }) => values ?? []) : undefined;
  const listed = enums(before);
  const listedNow = enums(after);
  return (
    listed !== undefined && (listedNow === undefined || listedNow.some((value) => !listed.includes(value)))
  );
}
