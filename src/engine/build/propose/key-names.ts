/** The names of keys. A key is a property that refers to another object by the id or another property of that object. */
import { normalizeName, splitCamelCase } from "../schema/graphql-names.ts";

/** Matches `author` in `authorId`, `author_id` and `authorIDs`, but does not match `paid`. */
export const keyName = /^(.*[A-Za-z0-9])(?:[_-](?:ids?|Ids?|IDs?)|Ids?|IDs?)$/;

/**
 * The normalized names of keys whose value a path parameter accepts. `resource` is the normalized name of the objects that the
 * operation returns. For plans, the parameters `code` and `plan_code` accept a `plan_code`, and `lago_id` accepts a `lago_plan_id`.
 */
export function keysFor(parameter: string, resource: string): string[] {
  const words = wordsOf(parameter);
  const [, end] = positionOf(resource, words) ?? [];
  if (end !== undefined) return end < words.length ? [normalizeName(parameter)] : [];
  return words.map((_, at) => normalizeName([...words.slice(0, at), resource, ...words.slice(at)].join("")));
}

/** The possible normalized names of the property that contains the path parameter's value in an object of the resource. */
export function propertiesFor(parameter: string, resource: string): string[] {
  const words = wordsOf(parameter);
  const [start, end] = positionOf(resource, words) ?? [0, 0];
  return [normalizeName(parameter), normalizeName(words.toSpliced(start, end - start).join(""))];
}

/** The part of the key that names the resource, for example `billable_metric` in `lago_billable_metric_id`. */
export function resourceIn(key: string, resource: string): string | undefined {
  const words = wordsOf(key);
  const position = positionOf(resource, words);
  return position && words.slice(...position).join("_");
}

const wordsOf = (name: string): string[] => splitCamelCase(name).map((word) => word.toLowerCase());

/** Where the words contain the name of the resource: the index of its first word, and the index after its last word. */
function positionOf(resource: string, words: readonly string[]): [start: number, end: number] | undefined {
  for (const start of words.keys())
    for (let end = start + 1; end <= words.length; end++)
      if (words.slice(start, end).join("") === resource) return [start, end];
  return undefined;
}
