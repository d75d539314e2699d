/** The requests that start-up shows beside the demo keys: one for GraphQL, one for REST alone. */
export const demoQuery =
  "{ me { email tenantId roles } contacts { name } conversations { status contact { name } } }";
export const demoPath = "/v1/identity/me";
