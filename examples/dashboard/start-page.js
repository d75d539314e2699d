/**
 * The saved operation `StartPage` with the fields of the slowest product, AI, deferred: the page does not wait for them. It is
 * not a saved operation itself, because clients that cannot read a response in parts use those too.
 */
export const startPage = `query StartPage($from: String!, $to: String!, $q: String!) {
  me { id email tenantId roles features }
  metrics(from: $from, to: $to) { name label unit total points { date value } }
  conversationsConnection(status: OPEN, first: 20) {
    nodes {
      id
      subject
      channel
      priority
      unreadCount
      lastMessageAt
      contact { id name }
    }
    totalCount
    ... @defer { nodes { assignee { id name kind } } }
  }
  contacts(q: $q) { id name company stage email phone }
  ... @defer { agents { id name kind availability } }
}`;
