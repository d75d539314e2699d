/** What must and must not compile against the document's types; `npm run types` is what fails. */
import { expectTypeOf, test } from "vitest";
import { batchEach, batchMany, batchOne } from "../../../../src/engine/runtime/rest/batch.ts";
import { level } from "../../../../src/engine/runtime/rest/level.ts";
import type { SuccessBody } from "../../../../src/engine/runtime/rest/openapi-types.ts";
import type { Rest } from "../../../../src/engine/runtime/rest/rest-context.ts";
import type {
  ContactResolvers,
  ConversationResolvers,
  QueryResolvers,
} from "../../desk/generated/graphql.ts";
import type { components, paths } from "../../desk/generated/rest.ts";

type Contact = components["schemas"]["Contact"];
type Agent = components["schemas"]["Agent"];

/** Never called: its body is checked by the compiler alone. */
const compiles = (_body: (rest: Rest<paths>) => unknown): void => {};

test("a call is held to the operation's path, parameters and body", () => {
  compiles((rest) => [
    rest.get("/v1/identity/me"),
    rest.get("/v1/crm/contacts", {}, "items"),
    rest.get("/v1/ai/agents", { query: { ids: null, limit: 50, kind: "any text" } }),
    rest.find("/v1/crm/contacts/{contactId}", { path: { contactId: "1" } }),
    rest.post("/v1/messages", {
      header: { "Idempotency-Key": null },
      body: { channel: "sms", to: "a", body: "b" },
    }),
    // @ts-expect-error no such path
    rest.get("/v1/crm/contact"),
    // @ts-expect-error the path has no POST
    rest.post("/v1/identity/me"),
    // @ts-expect-error the path parameter is required
    rest.get("/v1/crm/contacts/{contactId}"),
    // @ts-expect-error no such path parameter
    rest.get("/v1/crm/contacts/{contactId}", { path: { id: "1" } }),
    // @ts-expect-error a path parameter is never null
    rest.get("/v1/crm/contacts/{contactId}", { path: { contactId: null } }),
    // @ts-expect-error no such query parameter
    rest.get("/v1/crm/contacts", { query: { search: "an" } }),
    // @ts-expect-error an array where one value is meant
    rest.get("/v1/crm/contacts", { query: { limit: [1] } }),
    // @ts-expect-error a required body property is missing
    rest.post("/v1/messages", { body: { channel: "sms", to: "a" } }),
    // @ts-expect-error a body property that REST does not let be null
    rest.post("/v1/messages", { body: { channel: "sms", to: "a", body: null } }),
    // @ts-expect-error the body is required
    rest.post("/v1/messages", {}),
  ]);
});

test("an answer is the 2xx body, or the value at the result's path", () => {
  compiles((rest) => {
    expectTypeOf(rest.get("/v1/crm/contacts", {}, "items")).resolves.toEqualTypeOf<Contact[]>();
    const contact = rest.find("/v1/crm/contacts/{contactId}", { path: { contactId: "1" } });
    expectTypeOf(contact).resolves.toEqualTypeOf<Contact | null>();
    // @ts-expect-error the body has no such property, so this is no list of contacts
    const wrong: Promise<Contact[]> = rest.get("/v1/crm/contacts", {}, "contacts");
    return wrong;
  });
});

test("the answer of an operation that documents no success is null", () => {
  type Refusal = { 401: { content: { "application/json": string } }; default: { content?: never } };
  expectTypeOf<SuccessBody<{ responses: Refusal }>>().toEqualTypeOf<null>();
  expectTypeOf<SuccessBody<{ responses: Refusal & { 204: { content?: never } } }>>().toEqualTypeOf<null>();
});

test("a link's parents, arguments and answers are inferred from the field's resolver type", () => {
  const links = {
    contact: level((parents, _args, { rest }) =>
      batchOne(
        parents.map((parent) => parent.contactId),
        100,
        "id",
        (ids) => rest.get("/v1/crm/contacts", { query: { ids, limit: 100 } }, "items"),
      ),
    ),
    messages: level((parents, args, { rest }) =>
      batchMany(
        parents.map((parent) => parent.id),
        20,
        "conversationId",
        (ids) =>
          rest.get(
            "/v1/inbox/messages",
            { query: { conversationIds: ids, limitPerConversation: args.last } },
            "items",
          ),
      ),
    ),
  } satisfies Pick<ConversationResolvers, "contact" | "messages">;
  expectTypeOf(links.contact.level).returns.resolves.toExtend<readonly (Contact | Error | null)[]>();
  ({
    contact: level((parents, _args, { rest }) =>
      batchOne(
        // @ts-expect-error the parent has no such property
        parents.map((parent) => parent.contact_id),
        100,
        "id",
        (ids: string[]) => rest.get("/v1/crm/contacts", { query: { ids } }, "items"),
      ),
    ),
    // @ts-expect-error agents are no contacts
    assignee: level((parents, _args, { rest }) =>
      batchOne(
        parents.map((parent) => parent.contactId),
        100,
        "id",
        (ids) => rest.get("/v1/crm/contacts", { query: { ids, limit: 100 } }, "items"),
      ),
    ),
  }) satisfies Pick<ConversationResolvers, "contact" | "assignee">;
});

test("a match property that the items do not have is refused", () => {
  compiles((rest) =>
    batchOne(["1"], 100, "contactId", (ids) =>
      // @ts-expect-error contacts have no contactId
      rest.get("/v1/crm/contacts", { query: { ids, limit: 100 } }, "items"),
    ),
  );
});

test("a list-valued key gives a list that may have holes, and is null only where there may be no list of keys", () => {
  const agents = async (): Promise<Agent[]> => [];
  const found = batchEach([["1"]], 100, "id", agents);
  expectTypeOf(found).resolves.toEqualTypeOf<(Error | (Agent | null)[])[]>();
  const lists: (string[] | null)[] = [["1"], null];
  expectTypeOf(batchEach(lists, 100, "id", agents)).resolves.toEqualTypeOf<
    (Error | (Agent | null)[] | null)[]
  >();
});

test("root fields are held to their own types", () => {
  ({
    // @ts-expect-error one contact is no list
    contacts: (_parent, _args, { rest }) =>
      rest.find("/v1/crm/contacts/{contactId}", { path: { contactId: "1" } }),
  }) satisfies Pick<QueryResolvers, "contacts">;
  expectTypeOf<keyof ContactResolvers>().toExtend<string>();
});
