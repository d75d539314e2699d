/** docs/explanation/threat-model.md names test files as proof of its controls: their tests, listed here by title, must exist. */
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const page = read("docs/explanation/threat-model.md");

/** The cells of each row of a table of threats. */
const rows = page
  .split("| threat | control | test |\n")
  .slice(1)
  .flatMap((text) => (text.split("\n\n")[0] ?? "").split("\n").slice(1))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()));

/** The tests behind each file that the page names, by the end of its path. */
const proofs = new Map<string, string[]>([
  ["access", ["is FORBIDDEN over GraphQL, on that field and no other"]],
  [
    "access-tokens",
    ["a forged token is refused, not looked up", "the issuer's signature alone does not suffice"],
  ],
  ["answers", ["%s gets an answer of its own"]],
  ["app-operations", ["stays with the app that serves it, whatever the order of the apps is"]],
  ["balancers", ["passes requests on, says whose they are, and hides health"]],
  ["canary", ["no API key and no secret shows up in any log line or error"]],
  ["check/held-credentials", ["a document that names %s is an error"]],
  [
    "check/several-documents",
    [
      "a credential that two documents take stops codegen until each of them is approved, by the entries that check prints",
    ],
  ],
  ["codegen/hostile", ["random texts in every slot"]],
  ["compress-responses", ["a compressed request body is not read"]],
  [
    "compressed-bytes",
    ["a decompressed response that does not fit what the process has left is refused on its way"],
  ],
  ["cop", ["mutations by %s"]],
  ["e2e/bad-input", ["a value that REST would refuse names its argument, and is not sent"]],
  [
    "e2e/dashboard",
    [
      "sends once for the same idempotency key, and one for each of two keys",
      "costs one REST call a product field plus one a link",
    ],
  ],
  ["e2e/mcp", ["a key without the permission"]],
  ["e2e/roles", ["no explorer, no introspection, no suggestions"]],
  ["exact-ids", ["are shown, and match in a batch"]],
  ["exact-numbers", ["a number that JavaScript rounds or cannot hold is refused in a custom scalar: %s"]],
  [
    "federation",
    [
      "callers get what REST gives each of them, at once",
      "an invalid representation fails alone, by a clear error, and reaches no REST",
      "a subgraph starts neither open in production nor for saved operations alone",
      "more than 1,000 representations are refused, and 1,000 are ten calls",
    ],
  ],
  [
    "forward",
    [
      "responses are private unless the upstream names shared caches",
      "that redirects: 502, the redirect is not followed and not named",
    ],
  ],
  [
    "gateway/forwarded-headers",
    [
      "an upstream sets no cookie, and a 401 has the gateway's challenge alone",
      "of a request's headers those arrive that HTTP defines from end to end, or that the document declares",
    ],
  ],
  [
    "gateway/hostile",
    [
      "a request that passes carries all eight context headers of its key, and the proof",
      "hostile requests against the embedded gateway",
    ],
  ],
  ["gateway/keyless", ["no resolver runs for a question that is let through"]],
  [
    "gateway/keys",
    [
      "that is slow: 503 within a second, never a pass",
      "a good answer for 25 s, so that a revoked key is refused within 30",
    ],
  ],
  [
    "gateway/limits",
    [
      "no other origin, and by default none",
      "by key: the request after the last is 429 and says when to come back",
      "go by the monotonic clock: setting the wall clock changes no window",
    ],
  ],
  ["get", ["is refused from another site without a header that asks for a preflight: %s"]],
  ["graphql/callers", ["credentials that REST has not accepted are one caller, their address"]],
  [
    "graphql/inherited-values",
    ["aliases and lists of accounts keep their own values, over shared objects of REST"],
  ],
  ["graphql/introspection", ["no document about the schema costs more than a few full queries"]],
  ["graphql/limits", ["are accepted, and one more is refused with the limit's name and value"]],
  [
    "held-attacks",
    ["attacks on credentials of the server", "a credential that the vendor repeats in %s is masked"],
  ],
  [
    "held-canary",
    ["no secret is in a log, a trace, a metric, an answer, the configuration, generated/ or the bundle"],
  ],
  ["held-tokens", ["client credentials"]],
  ["hostile-text", ["Markdown holds no markup, no link and no mention of it"]],
  ["idle-connections", ["an address that opens them all keeps no other out, and loses its oldest ones"]],
  ["isolation", ["batches return nothing of another tenant, and a message to its contact is refused"]],
  ["json-body", ["a body with too many values is refused by every role that parses one"]],
  [
    "key-file",
    [
      "revokes before the first request after a long pause",
      "keeps its last valid state while it has a mistake or is gone, and reports each once",
    ],
  ],
  [
    "key-floods",
    [
      "of one address are 600 a minute; good keys, old and new, pass",
      "a key that was good goes before all, also from the same address",
    ],
  ],
  ["leaving-anywhere", ["while the event loop %s, nothing is left of clients that leave"]],
  ["linear-pattern", ["a text that is too long for a large pattern is left to REST"]],
  ["log", ["a flood of faults is 20 lines with a stack, and a line that counts the others"]],
  ["looked-up-names", ["no file of src or generated looks a name up in an object with a prototype"]],
  ["lookup-cache", ["are not used once the name does not exist, for that is an answer"]],
  [
    "manifests/manifests",
    ["a manifest that cannot be read keeps its last good state, and its neighbour serves"],
  ],
  ["masking", ["no undeclared text of a failed REST response reaches a client or a log"]],
  [
    "missing-keys",
    [
      "a key that may be absent is null, and there is no unfiltered call",
      "a key %j that the document requires is an error, and there is no unfiltered call",
    ],
  ],
  ["nothing-lost", ["a document that would bring its own %s is refused, and nothing is written"]],
  ["openapi-types", ["a call is held to the operation's path, parameters and body"]],
  ["openapi/composed", ["each includes the next one twice: %s"]],
  ["overload", ["an event loop that stays late refuses requests, and accepts them again once it is on time"]],
  ["pipelining", ["a flood for %s ends with its connection"]],
  ["platform/keys", ["lists the keys of one tenant without secrets, and stores no secret"]],
  [
    "platform/permissions",
    [
      "is forbidden without its permission, even with all others",
      "accepts context headers with the right proof only",
    ],
  ],
  ["processor-share", ["ten callers with work of %i ms get what one gets, and share it"]],
  ["public-addresses", ["no header names the upstream's host, whatever surrounds the address"]],
  [
    "public-reads",
    [
      "a call carries the language, and nothing else of its caller",
      "gives a caller no more than its own part for public values",
    ],
  ],
  [
    "refusals",
    [
      "nothing is shown of refused credentials, of faults, or of what no document declares",
      "a body that repeats a credential of the request shows nothing",
      "each caller gets the text of its own refusal only",
    ],
  ],
  ["refused-reads", ["after a %i no stored response is served, stale or on a failure"]],
  ["report", ["a report does not replace what the run reads: %s"]],
  ["requests", ["never takes the path value %j"]],
  [
    "rest/permissions",
    ["a caller without it is refused before any cache and any call, and others are served"],
  ],
  [
    "rest/several-documents",
    [
      "each service receives its own credential, as its document says, and none of another",
      "the context headers and the gateway's proof go to the products of CONTEXT_PRODUCTS, and to no other",
    ],
  ],
  [
    "revocation-log",
    ["through a gateway: a key that was revoked while nothing arrives is refused after KEY_UNCONFIRMED_MS"],
  ],
  [
    "revoked-tokens",
    [
      "a revoked token is refused by a gateway that has cached it",
      "after a loss, older tokens count for 30 s more, also if losses repeat",
    ],
  ],
  ["routing", ["health needs no key, and nothing outside /v1/ is forwarded"]],
  ["shared-cache", ["REST says %s: each caller gets its own answer"]],
  [
    "shared-reads",
    [
      "a read with %s is a call of its own",
      "wait 20 ms for a call that hangs, and then for the call of one of them",
    ],
  ],
  [
    "signing-keys",
    [
      "a new key is read for the first token that names it, and unknown ones cause one read in 30 s",
      "known keys count during an outage for an hour, and no longer",
    ],
  ],
  ["slow-bodies", ["a body below the minimum rate ends long before REQUEST_TIMEOUT_MS"]],
  ["slow-readers", ["is closed once nothing was read for the whole window"]],
  [
    "supply-chain",
    ["every entry of the lockfile is pinned by its content, from the registry, under an allowed licence"],
  ],
  [
    "tenant-concurrency",
    [
      "twelve tenants take all they can, the thirteenth is served, and a full house is no fault of its tenants",
    ],
  ],
  [
    "tenant-parameters",
    [
      "each call is for the caller's tenant, whatever the client asks for",
      "a client cannot set the tenant by %s",
    ],
  ],
  ["tenants", ["interleaved requests of 50 tenants: 0 crossovers"]],
  ["traces", ["a span is sent for each request, whether its client's trace is sampled or not"]],
  ["unfolding", ["links back and forth are given up at a bound, whatever they would unfold to"]],
  [
    "update",
    ["the header of a private document is sent, but not with a redirect, and is in no file or message"],
  ],
  [
    "update-workflow",
    [
      "the job that reads the document and runs packages has no token that may write, and the other runs no packages",
      "what a document brings stays data: the branch changes no other files, and the text has no mention, image or markup",
    ],
  ],
  ["upstream", ["any REST response becomes data or a coded error"]],
  ["upstream/host-names", ["%i of them: others by DNS, in the hosts file, localhost and addresses answer"]],
  ["vendor-limits", ["a tenant that floods leaves the others their part of the owner's limit"]],
  [
    "vendor-quota",
    [
      "whatever tenants ask, the vendor never gets more than its limit in a window",
      "of one tenant again and again pauses no other",
    ],
  ],
  ["wrong-configuration", ["refused: %s with %o"]],
]);

const filesOf = (cell: string): string[] => cell.split(", ");

const testFiles = globSync("test/**/*.test.ts", { cwd: root });

/** Whether exactly one path ends so, and its file has a test, or a group of tests, with this title. */
function hasTest(file: string, title: string): boolean {
  const [path, ...others] = testFiles.filter((each) => each.endsWith(`/${file}`));
  if (path === undefined || others.length > 0) return false;
  return [`"${title}",`, `\`${title}\`,`].some((each) => titles(path).includes(each));
}

/** The first arguments of calls, which include all titles. */
const titles = (path: string): string[] =>
  [...read(path).matchAll(/\(\s*((["`])(?:(?!\2).)+\2,)/g)].map(([, quoted = ""]) => quoted);

test("every threat has a control and a test, and every test exists", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter(({ length }) => length !== 3)).toEqual([]);
  expect(rows.filter(([, control, tests]) => !control || !tests)).toEqual([]);
  const named = new Set(rows.flatMap(([, , tests = ""]) => filesOf(tests)));
  expect([...named].sort()).toEqual([...proofs.keys()].sort());
  const all = [...proofs].flatMap(([file, titles]) =>
    titles.map((title) => [`${file}.test.ts`, title] as const),
  );
  expect(all.filter((proof) => !hasTest(...proof))).toEqual([]);
});

test("a test that does not exist is noticed", () => {
  const here = "threat-model.test.ts";
  expect(hasTest(here, "a test that does not exist is noticed")).toBe(true);
  expect(hasTest(here, "a test that does not")).toBe(false);
  expect(hasTest("no-such.test.ts", "a")).toBe(false);
  // two files are called keys.test.ts
  const title = "a good answer for 25 s, so that a revoked key is refused within 30";
  expect([hasTest("gateway/keys.test.ts", title), hasTest("keys.test.ts", title)]).toEqual([true, false]);
});

test("covers OWASP's ten API risks", () => {
  const named = new Set([...page.matchAll(/\bAPI(\d+)\b/g)].map(([, number]) => Number(number)));
  expect([...named].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
