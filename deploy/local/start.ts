/** `npm run local`: the whole chain on this machine, until Ctrl-C. */
import { once } from "node:events";
import { processIo, runCommand } from "restbound/role";
import { isInstalled, ports, rolePorts, startChain } from "./chain.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs the chain until a signal arrives, and returns the exit code. */
async function local(): Promise<number> {
  if (!isInstalled("haproxy") || !isInstalled("openssl")) {
    console.error("npm run local: needs haproxy and openssl (Debian: apt-get install haproxy openssl)");
    return 2;
  }
  // listens before the first process starts, because a signal during the start must stop the processes too
  const stopping = new AbortController();
  for (const signal of signals) process.on(signal, () => stopping.abort());
  try {
    const starting = { signal: stopping.signal, say: (text: string) => console.log(text) };
    const chain = await startChain({}, starting);
    console.log(`the chain is ready on ${chain.url.origin} (its certificate is its own: curl -k)`);
    for (const { name, child } of chain.members.values())
      console.log(`  ${name.padEnd(12)} pid ${child().pid}`);
    const { gateway1, gateway2, graphql1, graphql2 } = rolePorts;
    const [metrics, ...others] = [gateway1, gateway2, graphql1, graphql2].map((port) => port + 5_000);
    console.log(`metrics: http://127.0.0.1:${metrics}/metrics, and on the ports ${others.join(", ")}`);
    if (chain.members.has("prometheus")) console.log(`Prometheus: http://127.0.0.1:${ports.prometheus}`);
    console.log(`try:
  curl -sk ${chain.url.origin}/v1/graphql -H 'X-API-Key: sk_test_DemoHarborOlivia00000000004LRXgc' \\
    -H 'Content-Type: application/json' -d '{"query":"{ me { email } }"}'`);
    if (!stopping.signal.aborted) await once(stopping.signal, "abort");
    await chain.stop();
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    console.error(`npm run local: ${(error as Error).message}`);
    return 1;
  }
}

process.exit(
  await runCommand("npm run local", process.argv.slice(2), processIo, (line, does) =>
    line
      .description("Runs the whole chain on this machine, until Ctrl-C: TLS, two of each role, Redis.")
      .action(does(local)),
  ),
);
