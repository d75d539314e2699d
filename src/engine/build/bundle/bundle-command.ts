/**
 * `restbound bundle` bundles the service into about thirty files, which load faster than a thousand in `node_modules`. Keeps
 * `node_modules`, because vulnerability scanners and SBOM tools read it.
 */
import { existsSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "rolldown";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { CommandRefusal } from "../../shared/cli/command-failure.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound bundle", argv, io, (line, does) =>
    line
      .description(
        "Writes dist/bundle/main.js: src/main.ts and its packages, in a few files that start faster.",
      )
      .action(does(() => bundle(io.root))),
  );

/** Also bundles `restbound/server`, so that tests can call the `open` that the container image runs. */
async function bundle(root: string): Promise<number> {
  const folder = join(root, "dist/bundle");
  const main = join(root, "src/main.ts");
  if (!existsSync(main)) throw new CommandRefusal("src/main.ts does not exist; restbound init writes one");
  const { build } = await import("rolldown");
  rmSync(folder, { recursive: true, force: true });
  await build({
    cwd: root,
    input: { main, server: "restbound/server" },
    external: ["@graphql-yoga/render-graphiql/graphiql"], // 9 MB that production does not install
    platform: "node",
    tsconfig: false, // the tsconfig of some packages extends a file that the container image lacks
    plugins: [addresses(folder)],
    output: { dir: folder, sourcemap: true, sourcemapExcludeSources: true },
    logLevel: "warn",
  }).catch(({ message }: Error) => {
    throw new CommandRefusal(message);
  });
  return 0;
}

/** Resolves `import.meta.url` and `import.meta.dirname` relative to a module's source file, not to the bundle. */
const addresses = (folder: string): Plugin => ({
  name: "addresses",
  transform: {
    filter: { code: /\bimport\.meta\.(?:url|dirname)\b/ },
    handler: (code, id) => {
      const path = (to: string): string => JSON.stringify(relative(folder, to).replaceAll("\\", "/"));
      const url = `new URL(${path(id)}, import.meta.url).href`;
      const dir = `process.getBuiltinModule("node:path").join(import.meta.dirname, ${path(dirname(id))})`;
      const moved = code.replaceAll(/\bimport\.meta\.(url|dirname)\b/g, (_, name) =>
        name === "url" ? url : dir,
      );
      return { code: moved, map: null };
    },
  },
});
