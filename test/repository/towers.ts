/**
 * The two towers of `src/`, build time and run time, the ground first. A folder imports only itself and the folders before
 * it in its own tower. Folders of one row do not import each other.
 */
export const ground = ["standards", "manifests"];

const buildTime = [["cli"], ["diagnostic.ts"], ["openapi"], ["schema"], ["bind"], ["project"]];
const commands = [
  ["propose", "explain", "validate", "bundle"],
  ["codegen"],
  ["check", "init"],
  ["command"],
  ["doors"],
];
const floors = ground.map((room) => [room]);
const runTime = [
  ["settings"],
  ["config.ts"],
  ["errors.ts"],
  ["time"],
  ["dns"],
  ["observe"],
  ["http"],
  ["rest"],
];
const roles = [["graphql", "gateway"], ["process"], ["command"], ["doors"], ["platform"], ["main.ts"]];

export const towers = [
  [...floors, ...buildTime, ...commands],
  [...floors, ...runTime, ...roles],
] as const;
