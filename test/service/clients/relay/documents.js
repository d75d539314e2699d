/** Read by Relay's compiler: a query with a deferred fragment at the root and one in the rows of a list. */
import { graphql } from "relay-runtime";

export const page = graphql`
  query PageQuery {
    me { email }
    conversations { id ...Page_row @defer }
    ...Page_agents @defer
  }
`;
export const agents = graphql`
  fragment Page_agents on Query {
    agents { id name }
    me { email tenantId }
  }
`;
export const row = graphql`
  fragment Page_row on Conversation {
    assignee { name }
  }
`;
