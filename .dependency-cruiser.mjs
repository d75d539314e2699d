/** Which file may import which: the two towers of docs/architecture.md. `npm run lint` holds them. */
import { ground, towers } from "./test/repository/towers.ts";

/** The folders of `src/` or `src/engine/`, and the files at their top. */
const rooms = (names) => `^src/(?:engine/)?(?:${names.map(RegExp.escape).join("|")})(?:/|$)`;
const all = [...new Set(towers.flat(2))];
/** A room, and the rows before its own in each tower. */
const below = (room) => [
  room,
  ...towers.flatMap((rows) =>
    rows
      .slice(0, 1 + rows.findIndex((row) => row.includes(room)))
      .flatMap((row) => (row.includes(room) ? [] : row)),
  ),
];

/** Room → its files that stand on the frame of commands, which knows neither tower. A role never does. */
const commands = {
  "config.ts": "^src/engine/config\\.ts$",
  process: "^src/engine/process/(?:command|serve|speaker)\\.ts$",
  platform: "^src/platform/keys/key(?:s-cli|-options)\\.ts$",
};

/** The folders of the graphql role, the lowest first. The files beside them put them together. */
const graphql = ["request-context.ts", "errors", "saved", "limits", "variables", "plan"];

const rule = (name, from, to) => ({ name, severity: "error", from, to });

export default {
  forbidden: [
    rule("makes a cycle", {}, { circular: true }),
    rule("stands in no row of the towers", { path: "^src/", pathNot: rooms(all) }, {}),
    ...all.flatMap((room) => {
      if (room === "config.ts") return []; // one of `commands` as a whole
      const from = { path: rooms([room]), pathNot: Object.values(commands) };
      return rule(`${room} imports upward`, from, { path: "^src/", pathNot: rooms(below(room)) });
    }),
    ...Object.entries(commands).map(([room, path]) => {
      const to = { path: "^src/", pathNot: rooms([...below(room), "cli"]) };
      return rule(`a command of ${room} imports upward`, { path }, to);
    }),
    rule("is a command beside a role", { pathNot: commands.platform }, { path: commands.platform }),
    ...graphql.map((name, index) => {
      const lower = `^src/engine/graphql/(?:${graphql.slice(0, index + 1).join("|")})`;
      const to = { path: "^src/engine/graphql/", pathNot: lower };
      return rule(`${name} of graphql imports upward`, { path: `^src/engine/graphql/${name}` }, to);
    }),
    rule(
      "comes into the engine by no door",
      { path: "^(?:src/platform|src/main|generated|codegen)" },
      { path: "^src/engine/", pathNot: "^src/engine/doors/" },
    ),
    rule(
      "leaves the engine",
      { path: "^src/engine/(?!doors/)" },
      { path: "^(?:src/engine/doors|src/platform|src/main|generated)" },
    ),
    rule(
      "is in a role, and of build time",
      { path: "^src/engine/(graphql|gateway)/\\1\\.ts$" },
      {
        path: [
          rooms(towers[0].flat().filter((room) => ![...ground, "cli"].includes(room))),
          "^node_modules/yaml/",
        ],
        reachable: true,
      },
    ),
    rule("names a file that is not there", { path: "^(?:src|generated)/" }, { couldNotResolve: true }),
    rule("imports a test", { pathNot: "^test/" }, { path: "^test/" }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: ["node_modules", "^test/"] },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
