/** Classifies media types. Parameters such as `charset` are ignored. */

/**
 * Whether a media type is JSON by its name or suffix (RFC 8259 §11, RFC 6839 §3.1), or is `text/json`, which is not registered
 * but which .NET services use (WHATWG MIME Sniffing §4.6).
 */
export const isJson = (mediaType: string): boolean =>
  mediaType === "application/json" ||
  /^(?:(?:application|text)\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i.test(mediaType);

/** Whether a media type is text (RFC 2046 §4.1), or is `application/text`, which is not registered. */
export const isText = (mediaType: string): boolean =>
  /^(?:text\/[\w.+-]+|application\/text)\s*(?:;|$)/i.test(mediaType);

/** Whether the media type is for URL-encoded forms (WHATWG URL §5). */
export const isForm = (mediaType: string): boolean =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(mediaType);

/** Whether the media type is for forms with files (RFC 7578). */
export const isMultipartForm = (mediaType: string): boolean =>
  /^multipart\/form-data\s*(?:;|$)/i.test(mediaType);

/** Whether a media range (RFC 9110 §12.5.1) includes JSON. */
export const includesJson = (range: string): boolean => range === "*/*" || range === "application/*";

/** Whether `range` includes `mediaType`. `range` is a media range, such as `text/*`, or a media type. */
export function includes(range: string, mediaType: string): boolean {
  const [wide = "", one = ""] = [range, mediaType].map((each) =>
    each.replace(/;.*/s, "").trim().toLowerCase(),
  );
  return wide === "*/*" || wide === one || wide === one.replace(/\/.*/, "/*");
}
