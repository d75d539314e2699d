/** Connections to upstreams: timeout, certificate authorities and client certificate. */
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { readRegularFile } from "../../../shared/regular-file.ts";
import { lookupCache } from "../../dns/lookup-cache.ts";
import type { Environment } from "../../settings/environment.ts";
import { acceptContinue } from "./accept-continue.ts";

/**
 * The fraction of the connect timeout that a lookup may take, so that a slow lookup is reported as a failed lookup, not as a
 * failed connection.
 */
const lookupPart = 0.9;

/** Maximum number of attempts to connect if each one is refused. */
const attempts = 3;

/**
 * Creates a connector that accepts an unsolicited `100 Continue`, and looks a name up again after a failed connection. A refused
 * connection is repeated at once, which is safe for every request, because none has been sent: a Kubernetes Service chooses another
 * pod than the one that has just ended.
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
 * Creates the connector for upstreams: it connects within `CONNECT_TIMEOUT_MS`, with the authorities and the client certificate
 * in the operator's files. The files are read again for each new connection, and the age of connections is limited, so renewed
 * certificates need no restart. If the files cannot be read or do not match, the previous ones stay in use. All addresses of a
 * name are tried (Happy Eyeballs, RFC 8305). An unsolicited `100 Continue` is accepted.
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
  let [known, connect] = ["", connectorWith()];
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
