/**
 * REST sent a value that its document does not allow. The message is that of graphql-js. Clients do not see the message.
 */
export class ContractBroken extends Error {}
