/** `npm run local [-- nginx|haproxy]`: the whole chain on this machine, until Ctrl-C. */
import { type Balancer, isInstalled, startChain } from "./chain.ts";

const [balancer = "nginx"] = process.argv.slice(2);
if (balancer !== "nginx" && balancer !== "haproxy") {
  console.error("npm run local: the balancer is nginx or haproxy");
  process.exit(2);
}
if (!isInstalled(balancer) || !isInstalled("openssl")) {
  console.error(`npm run local: needs ${balancer} and openssl (Debian: apt-get install ${balancer} openssl)`);
  process.exit(2);
}
const chain = await startChain(balancer satisfies Balancer);
console.log(`the chain is ready on ${chain.url.origin} (its certificate is its own: curl -k)`);
for (const { name, child } of chain.members.values()) console.log(`  ${name.padEnd(12)} pid ${child().pid}`);
console.log("metrics: http://127.0.0.1:9001/metrics and 9002 (gateways), 9011 and 9012 (graphql)");
if (chain.members.has("prometheus")) console.log("Prometheus: http://127.0.0.1:9490");
console.log(`try:
  curl -sk ${chain.url.origin}/v1/graphql -H 'X-API-Key: sk_test_DemoHarborOlivia00000000004LRXgc' \\
    -H 'Content-Type: application/json' -d '{"query":"{ me { email } }"}'`);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void chain.stop().then(() => process.exit(0)));
