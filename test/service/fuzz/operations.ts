/** Operations of this project's schema with a variable for everything that can vary, and what REST rightly answers. */

export const operations = [
  "{ me { id email tenantId roles permissions features } }",
  `query Lists($first: Int = 2, $after: String, $q: String, $stage: ContactStage, $kind: AgentKind) {
    contactsConnection(first: $first, after: $after, q: $q, stage: $stage) {
      nodes { id name phone stage tags owner { id kind skills } conversations(first: $first) { id status } }
      edges { cursor node { id createdAt } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
    agentsConnection(first: $first, after: $after, kind: $kind) { nodes { id availability email } pageInfo { endCursor } }
    contacts(q: $q) { __typename id lastSeenAt }
  }`,
  `query Inbox($first: Int, $after: String, $status: ConversationStatus, $channel: String, $id: ID, $last: Int) {
    conversationsConnection(first: $first, after: $after, status: $status, channel: $channel, assigneeId: $id) {
      nodes {
        id subject priority unreadCount contact { id company } assignee { id name } participants { id name }
        messages(last: $last) { id direction author { ... on ContactAuthor { contactId contact { id } }
          ... on AgentAuthor { agentId agent { name } } ... on UserAuthor { userId } } conversation { id } }
      }
    }
  }`,
  `query One($id: ID!) {
    conversation(id: $id) { id channel } message(id: $id) { id status to body } agent(id: $id) { id } contact(id: $id) { id }
  }`,
  "query Metrics($from: String, $to: String) { metrics(from: $from, to: $to) { name unit total points { date value } } }",
  `mutation Send($channel: String!, $address: String!, $body: String!, $key: String) {
    sendMessage(channel: $channel, to: $address, body: $body, idempotencyKey: $key) { id status deliveredAt conversation { id } }
  }`,
  "query Both($yes: Boolean!) { me @include(if: $yes) { id } agents @skip(if: $yes) { id createdAt } conversations { id } }",
] as const;

export const variableNames = [
  "first",
  "after",
  "q",
  "stage",
  "kind",
  "status",
  "channel",
  "id",
  "last",
  "from",
  "to",
  "address",
  "body",
  "key",
  "yes",
];

const time = "2026-11-21T08:00:00.000Z";
const agent = {
  id: "1",
  name: "Ada",
  kind: "human",
  availability: "online",
  email: null,
  skills: ["a"],
  createdAt: time,
};
const contact = {
  id: "1",
  name: "Bo",
  email: null,
  phoneNumber: null,
  company: null,
  stage: "customer",
  ownerId: "1",
  tags: [],
  createdAt: time,
  lastSeenAt: null,
};
const conversation = {
  id: "1",
  subject: null,
  status: "open",
  priority: "normal",
  channel: "sms",
  contactId: "1",
  assigneeId: "1",
  participantIds: ["1", "2"],
  unreadCount: 1,
  tags: ["a"],
  createdAt: time,
  lastMessageAt: time,
};
const message = {
  id: "1",
  conversationId: "1",
  channel: "sms",
  direction: "outbound",
  status: "sent",
  to: "+12025550143",
  body: "b",
  author: { type: "agent", agentId: "1" },
  createdAt: time,
  deliveredAt: null,
};
const fromContact = { ...message, id: "2", author: { type: "contact", contactId: "1" } };
const page = (...items: object[]) => ({ items, nextCursor: null, hasMore: false });
const series = {
  name: "n",
  label: "N",
  unit: "count",
  total: 1,
  points: [{ date: "2026-11-21", value: null }],
};

/** Every operation that the fields are bound to, by its path, and a right answer. */
export const restAnswers: readonly [path: RegExp, answer: object][] = [
  [
    /^\/v1\/identity\/me$/,
    { id: "1", email: "a@b.example", tenantId: "t", roles: ["owner"], permissions: [], features: [] },
  ],
  [/^\/v1\/inbox\/conversations$/, page(conversation, { ...conversation, id: "2", assigneeId: null })],
  [/^\/v1\/inbox\/conversations\/[\w-]+$/, conversation],
  [/^\/v1\/inbox\/conversations-by-contact$/, page({ ...conversation, contactId: "1" })],
  [/^\/v1\/inbox\/messages$/, page(message, fromContact)],
  [/^\/v1\/messages(\/[\w-]+)?$/, message],
  [/^\/v1\/ai\/agents$/, page(agent, { ...agent, id: "2", kind: "ai" })],
  [/^\/v1\/ai\/agents\/[\w-]+$/, agent],
  [/^\/v1\/crm\/contacts$/, page(contact, { ...contact, id: "2", ownerId: null })],
  [/^\/v1\/crm\/contacts\/[\w-]+$/, contact],
  [/^\/v1\/insights\/metrics$/, { from: "2026-11-21", to: "2026-11-21", items: [series] }],
];

/** What REST rightly answers on a path and query; `undefined` where no field is bound to. */
export const rightAnswer = (url: string): object | undefined =>
  restAnswers.find(([path]) => path.test(url.split("?")[0] ?? ""))?.[1];
