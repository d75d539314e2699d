/** Whether a client asks for a page, as browsers do. */
export const wantsHtml = (accept = ""): boolean => /\btext\/html\b/i.test(accept);

/** Whether a media type is JSON, by name or by suffix (RFC 8259 §11, RFC 6839 §3.1); parameters do not matter. */
export const isJson = (mediaType: string): boolean =>
  /^(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i.test(mediaType);
