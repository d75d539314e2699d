/** A repository of Relay in a temporary folder, compiled, with the network layer of examples/clients. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { read } from "../../../repository/docs/page.ts";
import { makeConsumer, packageName, root } from "../consumer.ts";

const networkLayer = read("examples/clients/relay-network.js");

/** Returns the folder of the modules. Their requests go to `api`. */
export async function makeRelayProject(api: string): Promise<string> {
  const consumer = await makeConsumer();
  const config = {
    src: "./src",
    language: "javascript",
    eagerEsModules: true,
    schema: `./node_modules/${packageName}/schema.graphql`,
  };
  consumer.write("relay.config.json", JSON.stringify(config));
  consumer.copy(join(import.meta.dirname, "documents.js"), "src/documents.js");
  consumer.write("src/network.js", networkLayer.replace("http://127.0.0.1:4000", api));
  const compiler = join(root, "node_modules/relay-compiler/cli.js");
  await promisify(execFile)(process.execPath, [compiler], { cwd: consumer.folder });
  return join(consumer.folder, "src");
}
