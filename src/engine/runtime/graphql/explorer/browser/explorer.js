/**
 * Starts GraphiQL in the browser with the schema and the saved operations from the page, sends operations with the API key from
 * the toolbar, and shows the status, the time and the REST calls of each response.
 */

/**
 * @typedef {{ operation: string, method: string, path: string, status?: number, startMs: number, ms: number, source?: string, ageSeconds?: number, keys?: number, part?: string }} Call
 * @typedef {{ name: string, body: string, variables?: object }} SavedOperation
 * @typedef {{ key: string, keyHeader: string, schema: object, operations: SavedOperation[], workers: Record<string, string> }} Facts
 * @typedef {{ query: string, operationName?: string | null, variables?: object | null }} Operation
 */

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Facts} */
const { key, keyHeader, schema, operations, workers } = JSON.parse(element("facts").textContent ?? "");

/** The URL of each web worker, by the name by which GraphiQL's editors request it. @type {Record<string, string>} */
const workerUrls = Object.fromEntries(
  Object.entries(workers).map(([name, text]) => [
    name,
    URL.createObjectURL(new Blob([text], { type: "text/javascript" })),
  ]),
);

/**
 * The field for the API key. The key is kept in the session storage, so this page and the dashboard remember it until the tab is
 * closed.
 */
const keyField = /** @type {HTMLInputElement} */ (element("key"));
keyField.placeholder = `sent as ${keyHeader}`;
keyField.value = sessionStorage.getItem("api-key") ?? key;
keyField.addEventListener("input", () => sessionStorage.setItem("api-key", keyField.value.trim()));

/**
 * Returns a storage for GraphiQL that adds `prefix` to each key. The prefix is a digest of the saved operations, so that the user's
 * tabs are restored until these operations change.
 * @param {string} prefix
 */
const storageOf = (prefix) => ({
  /** @param {string} name */
  getItem: (name) => localStorage.getItem(prefix + name),
  /** @param {string} name @param {string} value */
  setItem: (name, value) => localStorage.setItem(prefix + name, value),
  /** @param {string} name */
  removeItem: (name) => localStorage.removeItem(prefix + name),
  clear: () => localStorage.clear(),
  length: 0,
});

/** @param {string} text */
function digest(text) {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7).toString(36);
}

/**
 * A credential in GraphiQL's Headers editor replaces the key from the toolbar.
 * @param {Record<string, string>} written
 */
function headersOf(written) {
  const headers = new Headers({
    accept: "multipart/mixed;deferSpec=20220824, application/json", // the format of incremental delivery that GraphiQL merges
    "content-type": "application/json",
    "x-explain-calls": "1",
  });
  for (const [name, value] of Object.entries(written)) headers.set(name, String(value));
  const typed = keyField.value.trim();
  if (typed && !headers.has(keyHeader) && !headers.has("authorization"))
    headers.set(keyHeader, keyHeader === "authorization" && !typed.includes(" ") ? `Bearer ${typed}` : typed);
  return headers;
}

/**
 * Whether the document has an operation with the name `name`. For a tenth of a second after the user changes the tab, GraphiQL
 * passes the operation name of the previous tab.
 * @param {string} query
 * @param {string} name
 */
const hasOperation = (query, name) =>
  new RegExp(`\\b(?:query|mutation|subscription)[\\s,]+${name}\\b`).test(query);

/**
 * GraphiQL's fetcher.
 * @param {Operation} operation
 * @param {{ headers?: Record<string, string> }} [options]
 */
async function* execute({ query, operationName, variables }, options) {
  const began = performance.now();
  const name = operationName && hasOperation(query, operationName) ? operationName : undefined;
  const body = JSON.stringify({ query, operationName: name, variables });
  const seen = { errors: 0, length: 0, firstMs: 0 };
  try {
    const headers = headersOf(options?.headers ?? {});
    const response = await fetch("/v1/graphql", { method: "POST", headers, body });
    for await (const text of textsOf(response)) {
      const answer = parse(text);
      const { calls = [], ...extensions } = answer.extensions ?? {};
      if (answer.extensions) answer.extensions = extensions;
      if (Object.keys(extensions).length === 0) delete answer.extensions;
      const ms = performance.now() - began;
      seen.firstMs ||= ms;
      seen.length += text.length;
      for (const { errors } of [answer, ...(answer.incremental ?? [])]) seen.errors += errors?.length ?? 0;
      show(response, seen, ms, calls);
      yield answer;
    }
  } catch (error) {
    yield showFailure(error);
  }
}

/**
 * Yields the parts of a response (RFC 2046 §5.1.3, with the boundary `-`), or its complete text.
 * @param {Response} response
 */
async function* textsOf(response) {
  if (!response.headers.get("content-type")?.startsWith("multipart/mixed")) {
    yield await response.text();
    return;
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      text += read.value;
      for (let end = text.indexOf("\r\n---", 3); end >= 0; end = text.indexOf("\r\n---", 3)) {
        yield text.slice(text.indexOf("\r\n\r\n") + 4, end);
        text = text.slice(end);
      }
    }
  } finally {
    void reader?.cancel(); // reached when the user stops the operation
  }
}

/**
 * Shows the error in the summary, in place of the previous response. Returns the error as a result for GraphiQL, because GraphiQL
 * would show a thrown error with its stack.
 * @param {unknown} error the server cannot be reached, or a header cannot be sent
 */
function showFailure(error) {
  element("summary").replaceChildren(make("span", { class: "status bad" }, "no answer"));
  showCalls([]);
  const reason = error instanceof Error ? error.message : String(error);
  return { errors: [{ message: `The browser got no answer from the server: ${reason}` }] };
}

/**
 * @param {string} text
 * @returns {Record<string, any>}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: "The answer is not JSON.", extensions: { body: text.slice(0, 500) } }] };
  }
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Shows the summary of a response. The number of errors is shown beside the status, because a response with failed fields has the
 * status 200 too.
 * @param {Response} response
 * @param {{ errors: number, length: number, firstMs: number }} seen of all parts that have come
 * @param {number} ms
 * @param {Call[]} calls
 */
function show(response, { errors, length, firstMs }, ms, calls) {
  const { status } = response;
  const failed = errors > 0 ? `, ${errors} ${errors === 1 ? "error" : "errors"}` : "";
  const verdict = status < 300 && errors === 0 ? "good" : "bad";
  element("summary").replaceChildren(
    make("span", { class: `status ${verdict}` }, `${status}${failed}`),
    make(
      "span",
      {},
      make("b", {}, `${Math.round(ms)} ms`),
      firstMs < ms ? `, first part ${Math.round(firstMs)} ms` : "",
    ),
    make("span", {}, `${(length / 1000).toFixed(1)} kB`),
    make("span", {}, "request ", make("code", {}, response.headers.get("x-request-id") ?? "without an id")),
  );
  showCalls(calls);
}

/** @param {Call[]} calls */
function showCalls(calls) {
  const keys = calls.reduce((sum, call) => sum + (call.keys ?? 0), 0);
  const toggle = element("toggle");
  toggle.hidden = calls.length === 0;
  const batched = keys > 0 ? `, ${keys} keys batched` : "";
  toggle.textContent = `${calls.length} REST ${calls.length === 1 ? "call" : "calls"}${batched}`;
  element("calls").replaceChildren(tableOf(calls));
  if (calls.length === 0) open(false);
}

/** @param {Call[]} calls */
function tableOf(calls) {
  const end = Math.max(1, ...calls.map(({ startMs, ms }) => startMs + ms));
  const sorted = [...calls].sort((one, other) => one.startMs - other.startMs);
  const rows = sorted.map(
    ({ operation, method, path, status, source, ageSeconds, startMs, ms, keys, part }) => {
      const age = ageSeconds === undefined ? "" : ` ${Math.round(ageSeconds)} s ago`;
      const bar = make("span", { class: "span" });
      bar.style.marginInlineStart = `${(100 * startMs) / end}%`;
      bar.style.inlineSize = `max(3px, ${(100 * ms) / end}%)`;
      const words = operation.split(/(?=[A-Z])/); // a narrow column may break the name between these words
      const deferred = part === undefined ? [] : [" ", make("span", { class: "part" }, `in ${part}`)];
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, ...words.flatMap((word) => [make("wbr", {}), word]), ...deferred),
        make("td", { class: "path" }, `${method} ${path}`),
        make("td", { class: (status ?? 500) < 400 ? "good" : "bad" }, `${status ?? "no answer"}`),
        make("td", {}, status ? `${source ?? "fetched"}${age}` : "–"),
        make("td", { class: "number" }, keys ? `${keys}` : "–"),
        make("td", { class: "number" }, `${ms.toFixed(1)}`),
        make("td", { class: "time" }, bar),
      );
    },
  );
  const heads = {
    Operation: "",
    Request: "path",
    Status: "",
    Response: "",
    Keys: "number",
    ms: "number",
    When: "time",
  };
  const columns = Object.entries(heads).map(([text, name]) =>
    make("th", { scope: "col", class: name }, text),
  );
  const head = make("tr", {}, ...columns);
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
}

/** @param {boolean} isOpen */
function open(isOpen) {
  element("calls").hidden = !isOpen;
  element("toggle").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) element("calls").scrollIntoView({ block: "nearest" });
}
element("calls").tabIndex = 0; // makes the scrollable region reachable by keyboard
element("toggle").addEventListener("click", () => open(element("calls").hidden));

const storage = storageOf(`${digest(JSON.stringify(operations.map(({ body }) => body)))} `);
const tabs = operations.map(({ body, variables }) => ({
  query: body,
  variables: variables ? JSON.stringify(variables, null, 2) : undefined,
}));

/**
 * Makes GraphiQL open with the tab that was open last. GraphiQL stores the query and variables that it opens with separately from
 * the tabs, but stores them only after an edit. If no stored tab contains this query and these variables, GraphiQL adds a tab for
 * them. This function therefore stores those of the active tab.
 */
function reopen() {
  const { tabs: kept = [], activeTabIndex = 0 } = JSON.parse(storage.getItem("graphiql:tabState") ?? "{}");
  const { query, variables, headers } = kept[activeTabIndex] ?? { variables: tabs[0]?.variables };
  for (const [name, text] of Object.entries({ query, variables, headers }))
    if (typeof text === "string") storage.setItem(`graphiql:${name}`, text);
    else storage.removeItem(`graphiql:${name}`);
}
reopen();

Object.assign(window, {
  MonacoEnvironment: {
    globalAPI: false,
    /** @param {string} _module @param {string} label */
    getWorkerUrl: (_module, label) => workerUrls[label],
  },
});
/** @type {any} */ (window).YogaGraphiQL.renderYogaGraphiQL(element("explorer"), {
  title: " ",
  logo: " ",
  schema,
  fetcher: execute,
  defaultTabs: tabs.length > 0 ? tabs : [{ query: "{\n  __typename\n}" }], // GraphiQL does not start without a tab
  storage,
  shouldPersistHeaders: false,
  onEditQuery() {},
});
