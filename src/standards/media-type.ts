/** Recognises JSON media types. */

/** Whether a media type is JSON by its name or suffix (RFC 8259 §11, RFC 6839 §3.1). Its parameters are ignored. */
export const isJson = (mediaType: string): boolean =>
  /^(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i.test(mediaType);
