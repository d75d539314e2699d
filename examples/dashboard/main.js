/** The dashboard: one GraphQL request fills the whole screen; a search and a message are one more each. */
/** @import { StartPageQuery } from "../../generated/documents.ts" */
/** @import { Answer } from "./client.js" */
import { ask } from "./client.js";
import { find } from "./elements.js";
import { sentence, showAll, showContacts, showDeferred, showErrors } from "./views.js";

const access = /** @type {HTMLFormElement} */ (find("#access"));
const message = /** @type {HTMLFormElement} */ (find("#message"));
const search = /** @type {HTMLInputElement} */ (find("#contacts input"));
const { key: sampleKey = "", api = "" } = document.documentElement.dataset;

/** @param {HTMLFormElement} form @param {string} name */
const field = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

field(access, "key").value = sessionStorage.getItem("api-key") ?? sampleKey;
find("#explorer").setAttribute("href", `${api}/v1/graphql`);

const keyNow = () => field(access, "key").value.trim();

/** @param {number} days */
const dayBefore = (days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Says how a request that brought no GraphQL answer failed. @param {unknown} error */
const unreachable = (error) => showErrors([{ message: `the server cannot be reached (${error})` }]);

async function load() {
  const main = find("main");
  main.setAttribute("aria-busy", "true");
  find("#agents").setAttribute("aria-busy", "true");
  let isFirst = true;
  /** @param {Answer<StartPageQuery>} answer */
  const show = ({ data, errors, hasNext }) => {
    document.body.classList.toggle("empty", !data);
    if (!data) return showErrors(errors);
    if (isFirst) showAll(data, errors, hasNext);
    else showDeferred(data, errors, hasNext);
    isFirst = false;
    main.setAttribute("aria-busy", "false");
  };
  try {
    const days = Number(field(access, "days").value);
    const variables = { from: dayBefore(days - 1), to: dayBefore(0), q: search.value };
    const answer = await ask(keyNow(), "StartPage", variables, show);
    show(answer);
    const { data, errors, ms, calls } = answer;
    if (!data) find("#me").textContent = "Nobody is signed in.";
    // a call that failed was tried again: those are more than a page would make
    const rest = calls === undefined || errors.length > 0 ? "" : ` instead of ${calls} REST calls`;
    find("#cost").textContent = data
      ? `This screen is 1 GraphQL request${rest}, in ${Math.round(ms)} ms.`
      : "";
  } catch (error) {
    unreachable(error);
  } finally {
    main.setAttribute("aria-busy", "false");
    find("#agents").setAttribute("aria-busy", "false");
  }
}

async function findContacts() {
  const asked = search.value;
  try {
    const { data, errors } = await ask(keyNow(), "FindCustomers", { q: asked });
    if (asked === search.value)
      showContacts(
        data?.contactsConnection?.edges.map(({ node }) => node),
        errors,
      );
  } catch (error) {
    unreachable(error);
  }
}

/** Marks the inputs whose values are refused, and no others. @param {ReadonlySet<string | null | undefined>} refused */
function mark(refused) {
  const inputs = [...message.elements];
  const marked = inputs.filter((input) => refused.has(input.getAttribute("name")));
  for (const input of inputs) input.removeAttribute("aria-invalid");
  for (const input of marked) input.setAttribute("aria-invalid", "true");
  if (marked[0] instanceof HTMLElement) marked[0].focus();
}

/** A message that was sent twice, by a click too many or a retry, arrives once: its key stays until it is sent. */
let messageKey = crypto.randomUUID();

async function send() {
  const channel = field(message, "channel");
  const to = field(message, "to");
  const body = field(message, "body");
  const sent = find("#sent");
  sent.textContent = "Sending …";
  try {
    const variables = { channel: channel.value, to: to.value, body: body.value, key: messageKey };
    const { data, errors } = await ask(keyNow(), "Answer", variables);
    const [error] = errors;
    const { argument, errors: values = [{ argument }] } = error?.extensions ?? {};
    mark(new Set(values.map((value) => value.argument)));
    sent.textContent = error
      ? `Not sent: ${sentence(error.message)}`
      : `Sent, and ${data?.sendMessage?.status.toLowerCase()}.`;
    if (error) return;
    messageKey = crypto.randomUUID();
    body.value = "";
    await load();
  } catch {
    sent.textContent = "Not sent: the server cannot be reached.";
  }
}

let pause = 0;
search.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(findContacts, 250);
});

access.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("api-key", keyNow());
  find("#sent").textContent = ""; // it told of a message of another key
  mark(new Set());
  void load();
});
field(access, "days").addEventListener("change", load);

message.addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});

find("#contacts").addEventListener("click", ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return;
  const { phone, email = "" } = target.dataset;
  field(message, "channel").value = phone ? "whatsapp" : "email";
  field(message, "to").value = phone || email;
  field(message, "body").focus();
});

// colours of the charts are read when they are drawn
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", load);
await load();
