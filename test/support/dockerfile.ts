/** Executes a Dockerfile without a container engine: each stage is a folder, and each RUN starts a process as the stage's user. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The result of the last stage. */
export type Image = {
  /** The folder with all stages; the caller removes it. */
  readonly top: string;
  /** The folder that is the image's `/`. */
  readonly root: string;
  /** The working directory, below `root`. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** A command and arguments, to which a command is appended that should run as the image's user. */
  readonly asUser: readonly string[];
  readonly command: readonly string[];
};

type Stage = {
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  entry: string[];
  cmd: string[];
};

const isRoot = process.getuid?.() === 0;
export const canChangeUser = isRoot && spawnSync("setpriv", ["--version"]).error === undefined;

/**
 * `context`: the build context. `environment`: additional variables of each RUN. Throws if an instruction is unsupported or
 * fails.
 */
export function build(
  file: string,
  context: string,
  environment: Readonly<Record<string, string>> = {},
): Image {
  const top = mkdtempSync(join(tmpdir(), "image-"));
  chmodSync(top, 0o755); // the image's user must be able to enter the folder
  const stages = new Map<string, Stage>();
  let stage = newStage(top);
  const path = (name: string): string =>
    join(stage.root, name.startsWith("/") ? name : join(stage.workdir, name));
  const asUser = (): string[] =>
    canChangeUser && stage.user !== ""
      ? [
          "setpriv",
          ...stage.user.split(":").map((id, at) => `--re${at === 0 ? "u" : "g"}id=${id}`),
          "--clear-groups",
        ]
      : [];
  for (const [instruction, rest] of stepsOf(file)) {
    if (instruction === "FROM") {
      stage = newStage(join(top, String(stages.size)));
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? "", stage);
    } else if (instruction === "WORKDIR") {
      stage.workdir = rest;
      mkdirSync(path("."), { recursive: true });
    } else if (instruction === "COPY") {
      const [, from, names = ""] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
      const list: string[] = names.startsWith("[") ? JSON.parse(names) : names.split(" ");
      const [to = "", ...sources] = list.reverse();
      const source = from === undefined ? context : (stages.get(from)?.root ?? "");
      for (const name of sources) {
        const target = to.endsWith("/") ? join(path(to), name.replace(/.*\//, "")) : path(to);
        mkdirSync(dirname(target), { recursive: true });
        cpSync(join(source, name), target, { recursive: true, verbatimSymlinks: true });
      }
    } else if (instruction === "ENV") {
      for (const [, name = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g))
        stage.env[name] = value.replace(/\$(\w+)/g, (_, known: string) => stage.env[known] ?? "");
    } else if (instruction === "ARG") {
      const [name = "", value = ""] = rest.split("=");
      stage.env[name] = value;
    } else if (instruction === "USER") stage.user = rest;
    else if (instruction === "RUN") {
      const [program = "", ...args] = [...asUser(), "sh", "-c", rest];
      execFileSync(program, args, {
        cwd: path("."),
        env: { ...authorities, ...environment, ...environmentOf(stage) },
        stdio: "pipe",
        timeout: 300_000,
      });
    } else if (instruction === "ENTRYPOINT") stage.entry = JSON.parse(rest);
    else if (instruction === "CMD") stage.cmd = JSON.parse(rest);
    else if (!["EXPOSE", "STOPSIGNAL", "HEALTHCHECK"].includes(instruction))
      throw new Error(`${instruction} is not known here`);
  }
  const command = [...stage.entry, ...stage.cmd];
  return { top, root: stage.root, folder: path("."), env: environmentOf(stage), asUser: asUser(), command };
}

const newStage = (root: string): Stage => ({
  root,
  workdir: "/",
  env: {},
  user: "",
  entry: [],
  cmd: [],
});

/** npm needs this machine's certificate authorities; without these, it retries for two minutes. */
const { NODE_EXTRA_CA_CERTS: file } = process.env;
const authorities = file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };

/** Puts the folder of this process's `node` first in `PATH`. */
const environmentOf = ({ env }: Stage): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  ...env,
});

/** The instructions with their arguments. An instruction continues on the next line after a backslash. */
const stepsOf = (file: string): [instruction: string, rest: string][] =>
  readFileSync(file, "utf8")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.replace(/ .*/s, ""), line.replace(/^\S+ +/, "")]);
