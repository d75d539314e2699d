/** Converts Swagger 2.0 to OpenAPI 3.0. Locations in findings refer to the converted text. */
import { parseDocument, stringify } from "yaml";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { isForm, isMultipartForm } from "../../shared/media-type.ts";

/** Returns `text` unchanged if it is not Swagger 2.0, or not valid YAML, which the OpenAPI reader reports. */
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
 * Temporary property that keeps the `collectionFormat` of a list parameter. The library that upgrades the document drops each
 * format that has no `style` in OpenAPI 3.0. Without this property, the list would then be sent in the default style.
 */
const mark = "x-restbound-collection-format";

/**
 * Returns all array parameters, including shared ones in the document's or a path's `parameters` (Swagger 2.0, Parameter Object).
 */
function listParameters(document: Record<string, unknown>): Record<string, unknown>[] {
  const items = Object.values(membersOf(document.paths)).map(membersOf);
  const owners = [...items, ...items.flatMap((item) => Object.values(item).map(membersOf))];
  const own = owners.flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []));
  return [...Object.values(membersOf(document.parameters)), ...own].filter(
    (each): each is Record<string, unknown> => isRecord(each) && each.type === "array",
  );
}

/** Formats that OpenAPI 3.0 can express by `style` in a query or in a form without files. */
const inQuery: ReadonlySet<unknown> = new Set(["csv", "ssv", "pipes", "multi"]);

function markFormat(parameter: Record<string, unknown>): void {
  const { in: location, collectionFormat: format = "csv" } = parameter;
  const hasStyle = location === "query" ? inQuery.has(format) : format === "csv";
  if (location === "formData") Object.assign(parameter, { collectionFormat: format, [mark]: format });
  else if (!hasStyle) parameter[mark] = format;
}

/**
 * Removes the temporary property. A list parameter in an unsupported format gets a media type instead of a `style`, as OpenAPI
 * 3.0 allows. The binder then reports the parameter if it is required.
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

/** Removes the temporary property from a form. A multipart form supports only `multi`, which sends one part per item. */
function unmarkedForm(node: unknown, hasParts: boolean): unknown {
  const { encoding, ...form } = membersOf(node);
  const found = Object.entries(membersOf(membersOf(form.schema).properties)).flatMap(([name, property]) => {
    const format = membersOf(property)[mark];
    const isSupported = format === undefined || (hasParts ? format === "multi" : inQuery.has(format));
    return isSupported ? [] : [[name, { contentType: mediaOf(format) }] as const];
  });
  const all = { ...membersOf(encoding), ...Object.fromEntries(found) };
  return { ...membersOf(unmarked(form)), ...(Object.keys(all).length > 0 && { encoding: all }) };
}

const mediaTypes = new Map<unknown, string>([
  ["tsv", "text/tab-separated-values"],
  ["csv", "text/csv"],
]);
const mediaOf = (format: unknown): string => mediaTypes.get(format) ?? "text/x-list";
