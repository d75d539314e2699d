/** Connects to upstreams, with timeouts, certificate authorities and a client certificate. */
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { readRegularFile } from "../../../shared/regular-file.ts";
import { lookupCache } from "../../dns/lookup-cache.ts";
import type { Environment } from "../../settings/environment.ts";
import { acceptContinue } from "./accept-continue.ts";

/** The part of the connect timeout that the DNS lookup may take. A slower lookup thus fails with its own error. */
const lookupPart = 0.9;

/** Maximum number of attempts to connect if the connection is refused. */
const attempts = 3;

/**
 * Creates a connector that accepts an unsolicited `100 Continue` and expires the cached DNS lookup after a failed connection. A
 * refused connection is retried at once, because a Kubernetes Service may then select another pod. This is safe for writes too,
 * because no request has been sent.
 */
export function tolerantConnector(
  options: buildConnector.BuildOptions,
  names = lookupCache,
): buildConnector.connector {
  const connect = buildConnector(options);
  return (to, done) => {
    const attempt = (left: number): void => {
      connect(to, (...outcome) => {
        const [error, socket] = outcome;
        if (error) names.expire(to.hostname);
        else acceptContinue(socket);
        if (left > 0 && (error as NodeJS.ErrnoException | null)?.code === "ECONNREFUSED") attempt(left - 1);
        else done(...outcome);
      });
    };
    attempt(attempts - 1);
  };
}

/**
 * Connects within `CONNECT_TIMEOUT_MS`, and tries all addresses of a name (Happy Eyeballs, RFC 8305). Reads the operator's
 * certificate files again for each new connection, so that renewed certificates need no restart. If they cannot be read or do not
 * match, the previous ones stay in use.
 */
export function upstreamConnector(env: Environment, names = lookupCache): buildConnector.connector {
  const timeout = env.CONNECT_TIMEOUT_MS;
  const options = {
    timeout,
    lookup: names.within(timeout * lookupPart),
    autoSelectFamilyAttemptTimeout: Math.max(Math.min(timeout / 4, 250), 10),
  };
  const connectorWith = (secureContext?: SecureContext): buildConnector.connector =>
    tolerantConnector({ ...options, ...(secureContext && { secureContext }) }, names);
  const files = [env.UPSTREAM_CA_FILE, env.UPSTREAM_CERT_FILE, env.UPSTREAM_KEY_FILE];
  let known = "";
  let connect = connectorWith();
  if (files.every((file) => file === undefined)) return connect;
  const renew = (): void => {
    const [ca, cert, key] = files.map((file) => (file === undefined ? undefined : readRegularFile(file)));
    const texts = JSON.stringify([ca, cert, key]);
    if (texts === known) return;
    const authorities = ca === undefined ? {} : { ca: [...getCACertificates(), ca] };
    connect = connectorWith(createSecureContext({ ...authorities, cert, key }));
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
