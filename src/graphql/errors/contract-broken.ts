/** REST sent a value that its document does not allow. The message is graphql-js's; clients do not see it. */
export class ContractBroken extends Error {}
