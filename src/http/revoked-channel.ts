/** The names that gateways and whoever revokes keys share in Redis. */

export const prefix = "messaging-graphql:";

/** Each message is the id of a revoked API key. */
export const revokedChannel = `${prefix}revoked`;
