/**
 * REST sent a value that its document does not allow. The message is the one that graphql-js gives. Clients do not see
 * it.
 */
export class ContractBroken extends Error {}
