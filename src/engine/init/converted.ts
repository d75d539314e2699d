/** A Swagger 2.0 document as OpenAPI 3.0: what a schema is bound to, and positions point into, is the converted text. */
import { parseDocument, stringify } from "yaml";
import { isRecord } from "../standards/json-object.ts";

/** Returns the text as it came if it is of another version, or no YAML: whoever reads it says so. */
export async function converted(text: string): Promise<string> {
  if (!/swagger["']?\s*:\s*["']?2/.test(text)) return text;
  const { errors, contents } = parseDocument(text);
  const value: unknown = errors.length === 0 ? contents?.toJSON() : undefined;
  if (!isRecord(value) || String(value.swagger) !== "2.0") return text;
  const { upgradeFromTwoToThree } = await import("@scalar/openapi-upgrader/2.0-to-3.0");
  const { openapi, ...others } = upgradeFromTwoToThree(value);
  return stringify({ openapi, ...others }, { lineWidth: 0, aliasDuplicateObjects: false });
}
