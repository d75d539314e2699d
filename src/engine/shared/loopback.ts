/**
 * Whether a host name or address always means this machine (RFC 6761 §6.3, RFC 6890). `hostname` has the form of `URL.hostname`:
 * for example, an IPv6 address is in brackets.
 */
export const isLoopback = (hostname: string): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
