/** Import directions: the layers of test/repository/layers.ts. `npm run lint` runs it. */
import { buildTime, runTime } from "./test/repository/layers.ts";

const columns = [buildTime, runTime];
const folders = [...new Set(columns.flat(2))];

/** The files of layers; a layer that is above others in the tree, such as `shared`, is the files directly in it. */
const filesOf = (names) => {
  const patterns = names.map((name) =>
    folders.some((other) => other.startsWith(`${name}/`))
      ? `${name}/[^/]+$`
      : `${RegExp.escape(name)}(?:/|$)`,
  );
  return `^src/(?:engine/)?(?:${patterns.join("|")})`;
};

/** The folder itself, and the folders of the rows before its own in each column. */
const importable = (folder) => [
  folder,
  ...columns.flatMap((rows) => {
    const row = rows.findIndex((names) => names.includes(folder));
    return rows.slice(0, Math.max(row, 0)).flat();
  }),
];

/** Files at run time that read a command line or the environment: they may use `shared/cli`. No role does. */
const commandFiles = {
  "runtime/settings": "^src/engine/runtime/settings/config\\.ts$",
  server: "^src/engine/server/(?:roles-command|serve|process-logger)\\.ts$",
  platform: "^src/platform/keys/key(?:s-cli|-options)\\.ts$",
};

/** Inside runtime/graphql, the lowest first. The files beside these folders compose them. */
const graphql = ["request-context.ts", "errors", "saved", "limits", "variables", "plan"];

const rule = (name, from, to) => ({ name, severity: "error", from, to });

export default {
  forbidden: [
    rule("no import cycles", {}, { circular: true }),
    rule("every file belongs to a layer", { path: "^src/", pathNot: filesOf(folders) }, {}),
    ...folders.map((folder) => {
      const from = { path: filesOf([folder]), pathNot: Object.values(commandFiles) };
      return rule(`${folder} imports a higher layer`, from, {
        path: "^src/",
        pathNot: filesOf(importable(folder)),
      });
    }),
    ...Object.entries(commandFiles).map(([folder, path]) => {
      const to = { path: "^src/", pathNot: filesOf([...importable(folder), "shared/cli"]) };
      return rule(`command files of ${folder} import a higher layer`, { path }, to);
    }),
    rule(
      "the platform does not import its commands",
      { pathNot: commandFiles.platform },
      { path: commandFiles.platform },
    ),
    ...graphql.map((name, index) => {
      const lower = `^src/engine/runtime/graphql/(?:${graphql.slice(0, index + 1).join("|")})`;
      const to = { path: "^src/engine/runtime/graphql/", pathNot: lower };
      return rule(
        `${name} imports a higher part of runtime/graphql`,
        { path: `^src/engine/runtime/graphql/${name}` },
        to,
      );
    }),
    rule(
      "the service imports the engine only by its exports",
      { path: "^(?:src/platform|src/main|generated|codegen)" },
      { path: "^src/engine/", pathNot: "^src/engine/exports/" },
    ),
    rule(
      "the engine imports nothing of the service, nor its own exports",
      { path: "^src/engine/(?!exports/)" },
      { path: "^(?:src/engine/exports|src/platform|src/main|generated)" },
    ),
    rule(
      "a role reaches no code of build time",
      { path: "^src/engine/(?:server/graphql-role|gateway/gateway|mcp/mcp)\\.ts$" },
      { path: "^(?:src/engine/(?:build|client-package)/|node_modules/yaml/)", reachable: true },
    ),
    rule("imports resolve", { path: "^(?:src|generated)/" }, { couldNotResolve: true }),
    rule("no code imports a test", { pathNot: "^test/" }, { path: "^test/" }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: ["node_modules", "^test/"] },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
