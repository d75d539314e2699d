/** The form over a server that the package's mocks stand for. */
import { ApolloProvider } from "@apollo/client/react";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { AnswerDocument } from "messaging-graphql-client";
import { productDown, refused } from "messaging-graphql-client/mocks";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createClient } from "./client.ts";
import { SendMessage } from "./send-message.tsx";

const server = setupServer();
beforeAll(() => server.listen());
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());

function send(): void {
  render(
    <ApolloProvider client={createClient("http://api.example/v1/graphql", "key")}>
      <SendMessage />
    </ApolloProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
}

const isInvalid = (label: string): string | null => screen.getByLabelText(label).getAttribute("aria-invalid");

test.each([
  [{ to: "must be a number" }, ["false", "true", "false"]],
  [{ to: "must be a number", body: "must not be empty" }, ["false", "true", "true"]],
])("refused values %o are shown at their inputs", async (details, invalid) => {
  server.use(refused(AnswerDocument, details));
  send();
  for (const detail of Object.values(details)) await screen.findByText(new RegExp(`${detail}$`));
  expect(["Channel", "To", "Text"].map(isInvalid)).toEqual(invalid);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a value without an input, and a product that is down, are said above the button", async () => {
  server.use(refused(AnswerDocument, { idempotencyKey: "was used for another message" }));
  send();
  expect((await screen.findByRole("alert")).textContent).toMatch(/was used for another message/);
  cleanup();
  server.use(productDown(AnswerDocument, { sendMessage: null }, "MESSAGING"));
  send();
  expect((await screen.findByRole("alert")).textContent).toMatch(/not available/);
});
