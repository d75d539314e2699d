/** A Swagger 2.0 document as OpenAPI 3.0: what a schema is bound to, and positions point into, is the converted text. */
import { parseDocument, stringify } from "yaml";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { isForm, isMultipartForm } from "../../shared/media-type.ts";

/** Returns the text as it came if it is of another version, or no YAML: whoever reads it says so. */
export async function convertSwagger(text: string): Promise<string> {
  if (!/swagger["']?\s*:\s*["']?2/.test(text)) return text;
  const { errors, contents } = parseDocument(text);
  const value: unknown = errors.length === 0 ? contents?.toJSON() : undefined;
  if (!isRecord(value) || String(value.swagger) !== "2.0") return text;
  const { upgradeFromTwoToThree } = await import("@scalar/openapi-upgrader/2.0-to-3.0");
  for (const parameter of listParameters(value)) markFormat(parameter);
  const { openapi, ...others } = upgradeFromTwoToThree(value);
  return stringify(
    { openapi, ...membersOf(unmarked(others)) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/**
 * Marks the collection format of a list: the upgrader drops one that OpenAPI 3.0 has no style for, so that the list would be
 * sent in the usual style of its place. It also drops that `csv` is the default in a form.
 */
const mark = "x-restbound-collection-format";

/** The parameters that are lists, also the shared ones and those of whole paths (Swagger 2.0, Parameter Object). */
function listParameters(document: Record<string, unknown>): Record<string, unknown>[] {
  const items = Object.values(membersOf(document.paths)).map(membersOf);
  const owners = [...items, ...items.flatMap((item) => Object.values(item).map(membersOf))];
  const own = owners.flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []));
  return [...Object.values(membersOf(document.parameters)), ...own].filter(
    (each): each is Record<string, unknown> => isRecord(each) && each.type === "array",
  );
}

/** The formats that have a style in a query, and in a form without files. */
const inQuery: ReadonlySet<unknown> = new Set(["csv", "ssv", "pipes", "multi"]);

function markFormat(parameter: Record<string, unknown>): void {
  const { in: location, collectionFormat: format = "csv" } = parameter;
  const hasStyle = location === "query" ? inQuery.has(format) : format === "csv";
  if (location === "formData") Object.assign(parameter, { collectionFormat: format, [mark]: format });
  else if (!hasStyle) parameter[mark] = format;
}

/**
 * Gives a marked list a media type of its own instead, as parameters and forms of OpenAPI 3.0 may have. No field can send
 * it: an optional one is left out, and a finding names a required one.
 */
function unmarked(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(unmarked);
  if (!isRecord(node)) return node;
  const { [mark]: format, ...others } = node;
  const copy = Object.fromEntries(
    Object.entries(others).map(([key, value]) => [
      key,
      isForm(key) || isMultipartForm(key) ? unmarkedForm(value, isMultipartForm(key)) : unmarked(value),
    ]),
  );
  if (format === undefined || !("in" in copy)) return copy;
  const { schema, style: _style, explode: _explode, ...rest } = copy;
  return { ...rest, content: { [mediaOf(format)]: { schema } } };
}

/** A form of parts has only `multi`: a part for each item. */
function unmarkedForm(node: unknown, hasParts: boolean): unknown {
  const { encoding, ...form } = membersOf(node);
  const found = Object.entries(membersOf(membersOf(form.schema).properties)).flatMap(([name, property]) => {
    const format = membersOf(property)[mark];
    const isWritten = format === undefined || (hasParts ? format === "multi" : inQuery.has(format));
    return isWritten ? [] : [[name, { contentType: mediaOf(format) }] as const];
  });
  const all = { ...membersOf(encoding), ...Object.fromEntries(found) };
  return { ...membersOf(unmarked(form)), ...(Object.keys(all).length > 0 && { encoding: all }) };
}

const mediaTypes = new Map<unknown, string>([
  ["tsv", "text/tab-separated-values"],
  ["csv", "text/csv"],
]);
const mediaOf = (format: unknown): string => mediaTypes.get(format) ?? "text/x-list";
