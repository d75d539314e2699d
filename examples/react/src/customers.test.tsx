/** The list over a server that the package's mocks stand for. */
import { gql } from "@apollo/client";
import { ApolloProvider } from "@apollo/client/react";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { FindCustomersDocument, type FindCustomersQuery } from "messaging-graphql-client";
import {
  answers,
  forbidden,
  productDown,
  rateLimited,
  scalars,
  slow,
  unauthenticated,
} from "messaging-graphql-client/mocks";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createClient } from "./client.ts";
import { Customers } from "./customers.tsx";

const server = setupServer();
beforeAll(() => server.listen());
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());

/** Customers of these numbers, as a page of the list. */
function page(from: number, to: number, hasNextPage: boolean): FindCustomersQuery {
  const edges = Array.from({ length: to - from }, (_, index) => ({
    cursor: `c${from + index}`,
    node: {
      ...{
        id: `con_${from + index}`,
        name: `Customer ${from + index}`,
        company: null,
        email: null,
        phone: null,
      },
      ...{ stage: "CUSTOMER", lastSeenAt: scalars.DateTime?.() ?? null, owner: null },
    },
  }));
  const pageInfo = { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null };
  return { contactsConnection: { edges, pageInfo, totalCount: 45 } } as unknown as FindCustomersQuery;
}

function show(pollMs?: number): void {
  render(
    <ApolloProvider client={createClient("http://api.example/v1/graphql", "key")}>
      <Customers pollMs={pollMs} />
    </ApolloProvider>,
  );
}

const rows = (): number => screen.queryAllByRole("listitem").length;
const alerted = async (): Promise<string | null> => (await screen.findByRole("alert")).textContent;

test("shows what the server answers, also slowly", async () => {
  server.use(slow(FindCustomersDocument, page(0, 25, true), 50));
  show();
  expect(rows()).toBe(0);
  await screen.findByText("Customer 24");
  expect(rows()).toBe(25);
});

test.each([
  [
    "a permission is missing",
    forbidden(FindCustomersDocument, page(0, 1, false), "contactsConnection"),
    /may not see/,
  ],
  ["the product is down", productDown(FindCustomersDocument, page(0, 1, false), "CRM"), /not available/],
  ["the key is revoked", unauthenticated(FindCustomersDocument), /sign in again/],
  ["the limit is reached", rateLimited(FindCustomersDocument, 7), /again in 7 s/],
])("where %s, it says so", async (_name, handler, said) => {
  server.use(handler);
  show();
  expect(await alerted()).toMatch(said);
  expect(rows()).toBe(0);
});

test("a poll asks for the rows that are shown, and keeps them", async () => {
  const asked: unknown[] = [];
  server.use(
    http.post("*/v1/graphql", async ({ request }) => {
      const { variables } = (await request.json()) as { variables: { first: number; after?: string } };
      asked.push(variables);
      const [from, to] = variables.after ? [25, 45] : [0, variables.first];
      return HttpResponse.json({ data: page(from, to, to < 45) } as object);
    }),
  );
  show(50);
  fireEvent.click(await screen.findByRole("button", { name: "More" }));
  await screen.findByText("Customer 44");
  await expect.poll(() => asked).toContainEqual({ first: 45 });
  expect(rows()).toBe(45);
});

test("an operation that no handler answers is left alone", async () => {
  server.use(
    answers({ ...FindCustomersDocument, definitions: [] } as never, {}),
    answers(FindCustomersDocument, page(0, 2, false)),
  );
  show();
  await screen.findByText("Customer 1");
});

test("a product that is down fails its deferred fields too", async () => {
  const document = gql`query Start { me { email } ... @defer { people: agents { name } } }`;
  server.use(productDown<object>(document, { me: { email: "a@b.example" }, people: [] }, "AI"));
  const body = JSON.stringify({ query: "query Start { me { email } }" });
  const response = await fetch("http://api.example/v1/graphql", { method: "POST", body });
  expect(await response.json()).toMatchObject({
    data: { me: { email: "a@b.example" }, people: null },
    errors: [{ path: ["people"], extensions: { code: "UPSTREAM_UNAVAILABLE" } }],
  });
});
