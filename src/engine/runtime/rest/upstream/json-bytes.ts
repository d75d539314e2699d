/** The bytes that a JSON body counts for by its values. 10 MB of empty lists take 290 MB and a second to parse. */
import { countValues, hasContainers } from "../../../shared/json-values.ts";
import { isJson, isText } from "../../../shared/media-type.ts";
import { largeBody } from "../../governor/processor-time.ts";

/** A value counts for as many bytes as one of ordinary rows has. */
const bytesOfValue = 20;

/**
 * Counts up to `maxBytes`. A refusal is parsed too, whatever its media type is. Of a small body the values are counted if
 * its containers count for more than its text.
 */
export function jsonValueBytes(text: string, status: number, mediaType: string, maxBytes: number): number {
  if (text.length < largeBody && !hasContainers(text, text.length / bytesOfValue)) return 0;
  const isPlain = status < 400 && isText(mediaType) && !isJson(mediaType);
  return isPlain ? 0 : bytesOfValue * countValues(text, maxBytes / bytesOfValue);
}
