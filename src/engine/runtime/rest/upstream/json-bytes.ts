/** Counts the bytes of a JSON body by its number of values: 10 MB of empty lists take 290 MB and a second to parse. */
import { countValues, hasContainers } from "../../../shared/json-values.ts";
import { isJson, isText } from "../../../shared/media-type.ts";
import { largeBody } from "../../governor/work-costs.ts";

/** Each value counts as this many bytes, the average of ordinary rows. */
const bytesOfValue = 20;

/**
 * Counts up to `maxBytes`. The body of a refusal is parsed, and therefore counted, whatever its media type is. The values of a
 * small body are counted only if its containers alone count as more bytes than its text.
 */
export function jsonValueBytes(text: string, status: number, mediaType: string, maxBytes: number): number {
  if (text.length < largeBody && !hasContainers(text, text.length / bytesOfValue)) return 0;
  const isPlain = status < 400 && isText(mediaType) && !isJson(mediaType);
  return isPlain ? 0 : bytesOfValue * countValues(text, maxBytes / bytesOfValue);
}
