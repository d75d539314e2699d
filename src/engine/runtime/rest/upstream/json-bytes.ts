/** Estimates the size of a JSON body from its number of values: 10 MB of empty lists take 290 MB and a second to parse. */
import { countValues, hasContainers } from "../../../shared/json-values.ts";
import { isJson, isText } from "../../../shared/media-type.ts";
import { largeBody } from "../../governor/work-costs.ts";

/** Estimated bytes of JSON per value: the average of ordinary rows. */
const bytesOfValue = 20;

/**
 * Stops counting at `maxBytes`. An error body of any media type is counted, because it is parsed. A small body is counted only if
 * it contains many lists and objects.
 */
export function jsonValueBytes(text: string, status: number, mediaType: string, maxBytes: number): number {
  if (text.length < largeBody && !hasContainers(text, text.length / bytesOfValue)) return 0;
  const isPlain = status < 400 && isText(mediaType) && !isJson(mediaType);
  return isPlain ? 0 : bytesOfValue * countValues(text, maxBytes / bytesOfValue);
}
