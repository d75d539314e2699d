/** `npm run local [-- nginx|haproxy]`: the whole chain on this machine, until Ctrl-C. */
import { readArguments } from "../../test/script-arguments.ts";
import { type Balancer, balancerArgument, isInstalled, startChain } from "./chain.ts";

const line = await readArguments("npm run local", (given) =>
  given
    .description("Runs the whole chain on this machine, until Ctrl-C: TLS, two of each role, Redis.")
    .addArgument(balancerArgument),
);
const balancer = (line.args[0] as Balancer | undefined) ?? "nginx";
if (!isInstalled(balancer) || !isInstalled("openssl")) {
  console.error(`npm run local: needs ${balancer} and openssl (Debian: apt-get install ${balancer} openssl)`);
  process.exit(2);
}
// from the first process on: a signal before the chain is ready must leave nothing behind either
const stopping = new AbortController();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
for (const signal of signals) process.on(signal, () => stopping.abort());
const chain = await startChain(
  balancer,
  {},
  { signal: stopping.signal, say: (text) => console.log(text) },
).catch((error: Error) => {
  if (!stopping.signal.aborted) console.error(`npm run local: ${error.message}`);
  process.exit(stopping.signal.aborted ? 0 : 1);
});
const stop = () => void chain.stop().then(() => process.exit(0));
if (stopping.signal.aborted) stop();
else stopping.signal.addEventListener("abort", stop);
console.log(`the chain is ready on ${chain.url.origin} (its certificate is its own: curl -k)`);
for (const { name, child } of chain.members.values()) console.log(`  ${name.padEnd(12)} pid ${child().pid}`);
console.log("metrics: http://127.0.0.1:9001/metrics and 9002 (gateways), 9011 and 9012 (graphql)");
if (chain.members.has("prometheus")) console.log("Prometheus: http://127.0.0.1:9490");
console.log(`try:
  curl -sk ${chain.url.origin}/v1/graphql -H 'X-API-Key: sk_test_DemoHarborOlivia00000000004LRXgc' \\
    -H 'Content-Type: application/json' -d '{"query":"{ me { email } }"}'`);
