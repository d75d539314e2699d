/** Upstreams that want a client certificate, and files of certificates that are renewed while a role runs. */
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { makeAuthority } from "../../support/certificates.ts";
import { get, query, runHere, runReady } from "./program.ts";

function authority() {
  const made = makeAuthority();
  onTestFinished(made.remove);
  return made;
}

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "tls-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

/** REST that takes clients of the authority alone. `clients` are the serial numbers of their certificates. */
async function strictRest(known: ReturnType<typeof authority>) {
  const tls = { ...known.issue(), ca: readFileSync(known.file), requestCert: true };
  const clients = new Set<string>();
  const server = createServer(tls, ({ socket }, response) => {
    clients.add((socket as TLSSocket).getPeerCertificate().serialNumber);
    response.setHeader("content-type", "application/json").end('{"id":"1"}');
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients,
    closeConnections: () => server.closeAllConnections(),
  };
}

test("a client certificate is shown; without one the start says what is missing", async () => {
  const known = authority();
  const rest = await strictRest(known);
  const [key = "", certificate = ""] = known.issue().files;
  const files = { UPSTREAM_CA_FILE: known.file, REST_BASE_URL: rest.url };
  const bare = await runReady(["graphql"], files);
  await bare.prints(/REST_BASE_URL: .* is not usable \([^)]*a client certificate \(UPSTREAM_CERT_FILE\)/);
  const program = await runReady(["graphql"], {
    ...files,
    ...{ UPSTREAM_CERT_FILE: certificate, UPSTREAM_KEY_FILE: key },
  });
  expect((await get(program.url, "/readyz")).status).toBe(200);
  expect(await query(program.url, "{ me { id } }", "a-key")).toEqual({ data: { me: { id: "1" } } });
});

test("renewed authorities and certificates are used without a restart", async () => {
  const known = authority();
  const other = authority();
  const rest = await strictRest(known);
  const at = folder();
  const [ca, cert, key] = ["ca.pem", "cert.pem", "key.pem"].map((name) => join(at, name)) as [
    string,
    string,
    string,
  ];
  const write = (by: typeof known): void => {
    const [newKey = "", newCert = ""] = by.issue().files;
    copyFileSync(by.file, ca);
    copyFileSync(newKey, key);
    copyFileSync(newCert, cert);
  };
  write(other);
  const program = await runReady(["graphql"], {
    ...{ REST_BASE_URL: rest.url, UPSTREAM_CA_FILE: ca },
    ...{ UPSTREAM_CERT_FILE: cert, UPSTREAM_KEY_FILE: key },
  });
  await program.prints(/was issued by an unknown authority/);
  write(known);
  await program.prints(/REST_BASE_URL: reached; ready now/);
  const ask = () => query(program.url, "{ me { id } }", "a-key");
  expect(await ask()).toEqual({ data: { me: { id: "1" } } });
  expect(rest.clients.size).toBe(1);
  write(known);
  rest.closeConnections();
  expect(await ask()).toEqual({ data: { me: { id: "1" } } });
  expect(rest.clients.size).toBe(2);
});

test("files that do not fit each other are refused before the start", async () => {
  const known = authority();
  const other = authority();
  const [, certificate = ""] = known.issue().files;
  const [key = ""] = other.issue().files;
  const check = async (env: NodeJS.ProcessEnv) =>
    (
      await runHere(["graphql", "--check-config"], { REST_BASE_URL: "https://a.example", ...env })
    ).printed.join("");
  expect(await check({ UPSTREAM_CERT_FILE: certificate, UPSTREAM_KEY_FILE: key })).toMatch(
    /matching certificate and key \(ERR_OSSL_X509_KEY_VALUES_MISMATCH\)/,
  );
  expect(await check({ UPSTREAM_CERT_FILE: certificate })).toMatch(
    /^messaging-graphql: UPSTREAM_CERT_FILE: requires UPSTREAM_KEY_FILE, and vice versa\n?$/,
  );
  expect(await check({ UPSTREAM_CA_FILE: "package.json" })).toMatch(
    /^messaging-graphql: UPSTREAM_CA_FILE: does not contain a PEM certificate \(ERR_OSSL_PEM_NO_START_LINE\)\n?$/,
  );
  expect(await check({ UPSTREAM_CA_FILE: "/none" })).toMatch(
    /UPSTREAM_CA_FILE: the file cannot be read \(ENOENT\)/,
  );
});
