/** Each secret has the word "c4nary". A process is driven through every outcome, and all that it leaves is searched for the word. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../../../support/child-process.ts";
import { freePort } from "../../../support/free-port.ts";
import { bankLayer, type Form, tokenServer } from "./bank-project.ts";
import { type Answer, ask, asTenant, canary, json, secrets } from "./vendor-project.ts";

/** Vendors that repeat what they were sent, in every way that vendors do. */
function echo(): Answer {
  let count = 0;
  return (request, response) => {
    const { authorization = "", ...others } = request.headers;
    const said = `${authorization} ${authorization.replace(/^\S+ /, "")} ${request.url} ${JSON.stringify(others)}`;
    const item = { id: said, name: Buffer.from(authorization.split(" ")[1] ?? "", "base64").toString() };
    const slashes = JSON.stringify([item]).replaceAll("/", "\\/").replaceAll("=", "\\u003d");
    const answers: (() => void)[] = [
      () =>
        json(response, 200, [item], {
          etag: `"${authorization}"`,
          "x-echo": said,
          "cache-control": "max-age=1",
        }),
      () => void response.writeHead(200, { "content-type": "application/json" }).end(slashes),
      () => json(response, 401, { detail: said }, { "www-authenticate": said }),
      () => json(response, 403, { detail: said }),
      () => json(response, 422, { title: said, detail: said, argument: said }),
      () => json(response, 500, { detail: said }),
      () => json(response, 302, { detail: said }, { location: `http://127.0.0.1:9/${authorization}` }),
      () => void response.writeHead(200, { "content-type": "application/json" }).end(`{${said}`),
      () => void response.writeHead(200, { "content-type": "text/html" }).end(said),
      () => response.socket?.end(`HTTP/1.1 200 ${said}\r\nx y: ${said}\r\n\r\n`),
      () => response.destroy(),
    ];
    answers[count++ % answers.length]?.();
  };
}

async function receiver() {
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    texts.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return { texts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const clientSecret = "c4nary/secret=+";

/** A token server that issues a token, and then fails in each way with all that it was sent. */
const talkative = (count: number, { form, authorization }: Form): object => {
  const said = `${authorization} ${form}`;
  const failures = [
    { status: 400, error: "invalid_client", error_description: said },
    { status: 302, headers: { location: `http://127.0.0.1:9/${encodeURIComponent(said)}` } },
    { status: 500, headers: { "x-echo": said } },
    { access_token: `${said}\n` },
    { token_type: said },
  ];
  const issued = { expires_in: 0.01, scope: said };
  return count % 2 === 1 ? issued : (failures[(count / 2 - 1) % failures.length] ?? issued);
};

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

test("no secret is in a log, a trace, a metric, an answer, the configuration, generated/ or the bundle", async () => {
  const tokens = await tokenServer(talkative);
  const { project, env } = await bankLayer(echo(), tokens, "", "filePerTenant: bank");
  // a client of its own for each, because after a failure a client asks for no token for a while
  const clients = [..."abcdefghij"].map((letter) => `client-${letter}`);
  for (const client of clients) project.write(`secrets/bank/${client}`, `${client}:${clientSecret}\n`);
  const { root } = project;
  project.write(
    "src/main.ts",
    `import { join } from "node:path";
import { serve } from "restbound/server";
export const service = { name: "vendor", root: join(import.meta.dirname, ".."), api: async () => (await import("../generated/index.ts")).api };
if (import.meta.main) await serve(service);
`,
  );
  project.write("package.json", '{ "name": "vendor", "type": "module" }');
  const traces = await receiver();
  const metricsPort = await freePort();
  const environment = {
    ...env,
    LOG_LEVEL: "debug",
    ACCESS_LOG: "all",
    METRICS_PORT: `${metricsPort}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  };
  const main = join(root, "src/main.ts");
  const program = startProgram([main, "graphql"], environment, { cwd: root });
  onTestFinished(() => program.stop());
  const [, address = ""] = await program.prints(/(http:\/\/127\.0\.0\.1:\d+)/);
  const url = new URL(address);
  const answers: unknown[] = [];
  const headers = (tenant: string) => asTenant(tenant, { "x-explain-calls": "1", "x-own-key": "own" });
  for (let at = 0; at < 44; at++) {
    const tenant = ["acme", "globex", "initech", "../acme"][at % 4] ?? "";
    const client = clients[at % clients.length] ?? "";
    answers.push(await ask(url, "{ accounts { id } }", headers(client)));
    answers.push(await ask(url, "mutation { addAccount { id } }", headers(client)));
    const query =
      "{ services { id name } issues { id name } places(q: $q) { id name } boxes { id name } }".replace(
        "$q",
        JSON.stringify(`q${at}`),
      );
    answers.push(await ask(url, query, headers(tenant)));
    answers.push(
      await ask(url, 'mutation { addService(input: { name: "x" }) { id name } }', headers(tenant)),
    );
  }
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const ready = await (await fetch(new URL("/readyz", url))).text();
  await program.stop("SIGTERM");
  await program.ended;
  const printed = execFileSync(process.execPath, [main, "graphql", "--check-config"], {
    cwd: root,
    encoding: "utf8",
    env: { ...environment, PATH: process.env.PATH },
  });
  execFileSync(join(root, "node_modules/.bin/restbound"), ["bundle"], { cwd: root, encoding: "utf8" });
  const answered = JSON.stringify(answers);
  expect(answered).toContain("(secret)"); // the vendors did repeat them
  expect(answered).toContain('"calls"');
  for (const code of ["UPSTREAM_UNAVAILABLE", "FORBIDDEN", "BAD_UPSTREAM_RESPONSE", "UPSTREAM_ERROR"])
    expect(answered).toContain(code);
  expect(answered).toContain("bank/listAccounts: the server got no access token");
  expect(answered).toMatch(/\{"accounts":\[\{"id":"[^"]*\(secret\)/);
  expect(tokens.forms.length).toBeGreaterThan(2 * clients.length - 1);
  expect(traces.texts.join()).toContain("url.template");
  expect(metrics).toContain('product="PAGER"');
  expect(printed).toContain(`CREDENTIALS_DIRECTORY=${project.directory}`);
  const built = [...filesBelow(join(root, "generated")), ...filesBelow(join(root, "dist"))];
  expect(built.length).toBeGreaterThan(10);
  const left = new Map([
    ["answers", answered],
    ["output", program.output()],
    ["traces", traces.texts.join("\n")],
    ["metrics", metrics],
    ["readyz", ready],
    ["--check-config", printed],
    ...built.map((path) => [path, readFileSync(path, "utf8")] as const),
  ]);
  const login = Buffer.from(secrets["mail-login"]).toString("base64");
  // "client-a:" has nine characters, so what follows is encoded by itself
  const client = Buffer.from(`${clients[0]}:${encodeURIComponent(clientSecret)}`).toString("base64");
  const needles = [
    canary,
    login.slice(8, 24),
    client.slice(12, 36),
    Buffer.from(`:${canary}`).toString("base64").slice(0, 8),
  ];
  const found = [...left].flatMap(([where, text]) => {
    const at = text.search(new RegExp(needles.join("|"), "i"));
    return at < 0 ? [] : [`${where}: ${text.slice(Math.max(0, at - 100), at + 60)}`];
  });
  expect(found).toEqual([]);
});
