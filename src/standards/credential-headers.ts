/** The request headers that carry an API key (RFC 6750 §2.1 for `Authorization: Bearer`). */

/** REST receives no other header as a credential. */
export const credentialHeaders = ["X-API-Key", "Authorization"] as const;
