/** The safe methods that a binding can send: they only read (RFC 9110 §9.2.1; QUERY: draft-ietf-httpbis-safe-method-w-body). */
export const isSafeMethod = (method: string): boolean => method === "GET" || method === "QUERY";
