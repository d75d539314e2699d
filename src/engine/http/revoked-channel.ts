/** The names in Redis that gateways share with the tool that revokes keys. */

export const prefix = "restbound:";

/** Each message is the id of a revoked API key. */
export const revokedChannel = `${prefix}revoked`;
