/** Whether a host in the form of `URL.hostname` is this machine (RFC 6761 §6.3, RFC 6890). */
export const isLoopback = (hostname: string): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
