/**
 * The handler of the product `messaging`. It sends a message. One transaction finds or creates the contact and its open
 * conversation, stores the message, and stores the request's idempotency key together with the response. A repeated request with
 * the same key sends no message.
 */
import { hash } from "node:crypto";
import { CodedError } from "restbound";
import type { Handler, HandlerContext } from "../handler.ts";
import { newId } from "../store/ids.ts";
import { text } from "../store/row.ts";
import type { TenantStore } from "../store/store.ts";
import { toMessage } from "./inbox.ts";

type MessageInput = { channel: "whatsapp" | "sms" | "email" | "webchat"; to: string; body: string };

const rememberMs = 24 * 60 * 60 * 1000;

export const sendMessage: Handler = (context, { header, body }) => {
  const input = body as MessageInput; // already validated against the schema `MessageInput`
  const address = normalAddress(input);
  const key = header["idempotency-key"];
  return context.store.transaction(() => {
    const send = (): unknown => storeMessage(context, { ...input, to: address }, new Date().toISOString());
    return key === undefined ? send() : once(context, key, input, send);
  });
};

/**
 * Calls `send` for the first request with a user's idempotency key. If this request is repeated with its key within 24 hours,
 * returns the first response. Throws `CONFLICT` if another request has the key.
 */
function once(
  { tenant, caller }: HandlerContext,
  key: string,
  input: MessageInput,
  send: () => unknown,
): unknown {
  const now = new Date();
  tenant.run("forgetIdempotencyKeys", { before: new Date(now.getTime() - rememberMs).toISOString() });
  const requestDigest = hash("sha256", JSON.stringify([input.channel, input.to, input.body]));
  const before = tenant.get("idempotencyKey", { user: caller.userId, key });
  if (before && before.requestDigest !== requestDigest) {
    const message = "this Idempotency-Key was used with another request";
    throw new CodedError("CONFLICT", message, { argument: "Idempotency-Key" });
  }
  if (before) return JSON.parse(text(before.response));
  const answer = send();
  const response = JSON.stringify(answer);
  tenant.run("insertIdempotencyKey", {
    user: caller.userId,
    key,
    requestDigest,
    response,
    now: now.toISOString(),
  });
  return answer;
}

function storeMessage({ tenant, caller }: HandlerContext, input: MessageInput, now: string): unknown {
  const contactId = findContact(tenant, input) ?? makeContact(tenant, input, now);
  const conversationId = openConversation(tenant, input.channel, contactId, now);
  const id = newId("msg");
  const author = { authorType: "user", authorId: caller.userId };
  const state = { direction: "outbound", status: "queued", createdAt: now, deliveredAt: null };
  tenant.run("insertMessage", { ...input, ...author, ...state, id, conversationId, contactId });
  tenant.run("answerConversation", { id: conversationId, now });
  return toMessage(tenant.get("messageById", { id }) ?? {});
}

function openConversation(tenant: TenantStore, channel: string, contactId: string, now: string): string {
  const open = tenant.get("openConversationId", { contactId, channel });
  if (open) return text(open.id);
  const id = newId("cnv");
  const state = {
    subject: null,
    status: "pending",
    priority: "normal",
    assigneeId: null,
    unreadCount: 0,
    tags: "[]",
  };
  tenant.run("insertConversation", { ...state, id, channel, contactId, createdAt: now, lastMessageAt: now });
  return id;
}

const finders = {
  whatsapp: "contactIdByPhone",
  sms: "contactIdByPhone",
  email: "contactIdByEmail",
  webchat: "contactIdById",
} as const;

function findContact(tenant: TenantStore, { channel, to }: MessageInput): string | undefined {
  const row = tenant.get(finders[channel], { to });
  return row && text(row.id);
}

function makeContact(tenant: TenantStore, { channel, to }: MessageInput, now: string): string {
  // the channel `webchat` has no address from which a contact could be created
  if (channel === "webchat")
    throw new CodedError("BAD_USER_INPUT", "to: is not a contact's id", { argument: "to" });
  const id = newId("ctc");
  const address = { email: channel === "email" ? to : null, phoneNumber: channel === "email" ? null : to };
  const state = {
    company: null,
    stage: "new-lead",
    ownerId: null,
    tags: "[]",
    createdAt: now,
    lastSeenAt: null,
  };
  tenant.run("insertContact", { ...address, ...state, id, name: to });
  return id;
}

const phone = /^\+[1-9][0-9]{6,14}$/; // E.164
const email = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** Normalizes the address `to`. Its syntax depends on the channel. Throws `BAD_USER_INPUT` if the address is invalid. */
function normalAddress({ channel, to }: MessageInput): string {
  const [shape, wanted] =
    channel === "email" ? [email, "an e-mail address"] : [phone, "a number such as +12025550143"];
  if (channel !== "webchat" && !shape.test(to)) {
    throw new CodedError("BAD_USER_INPUT", `to: must be ${wanted} for ${channel}`, { argument: "to" });
  }
  return channel === "email" ? to.toLowerCase() : to;
}
