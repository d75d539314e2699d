/**
 * How connections to upstreams are made: with the authorities and the client certificate of the operator's files. The files are
 * read again for each new connection, and connections end after a while, so renewed certificates need no restart.
 */
import { createSecureContext, getCACertificates } from "node:tls";
import type { Environment } from "../../settings/environment.ts";
import { readRegularFile } from "../../standards/regular-file.ts";
import { buildConnector } from "./undici.ts";

type Settings = Pick<
  Environment,
  "CONNECT_TIMEOUT_MS" | "UPSTREAM_CA_FILE" | "UPSTREAM_CERT_FILE" | "UPSTREAM_KEY_FILE"
>;

/** Connecting may take `CONNECT_TIMEOUT_MS`. Files that cannot be read, or do not fit each other, change nothing. */
export function connectorOf(env: Settings): buildConnector.BuildOptions | buildConnector.connector {
  const timeout = env.CONNECT_TIMEOUT_MS;
  const files = [env.UPSTREAM_CA_FILE, env.UPSTREAM_CERT_FILE, env.UPSTREAM_KEY_FILE];
  if (files.every((file) => file === undefined)) return { timeout };
  let [known, connect] = ["", buildConnector({ timeout })];
  const renew = (): void => {
    const [ca, cert, key] = files.map((file) => (file === undefined ? undefined : readRegularFile(file)));
    const texts = JSON.stringify([ca, cert, key]);
    if (texts === known) return;
    const authorities = ca === undefined ? {} : { ca: [...getCACertificates(), ca] };
    const secureContext = createSecureContext({ ...authorities, cert, key });
    connect = buildConnector({ timeout, secureContext });
    known = texts;
  };
  return (options, done) => {
    try {
      renew();
    } catch (error) {
      if (known === "") return void done(error as Error, null);
    }
    connect(options, done);
  };
}
