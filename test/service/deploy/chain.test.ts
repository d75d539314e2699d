/** `npm run local`: whatever ends its start leaves no process and no folder behind, and says why. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Given, keepRunning } from "../../../deploy/local/member.ts";

const start = join(import.meta.dirname, "../../../deploy/local/start.ts");
const never = new AbortController().signal;

/** A process of one line of JavaScript, which is ready when it says so. */
const program = (text: string): Given => ({
  command: process.execPath,
  args: ["-e", text],
  isReady: (output) => output.includes("ready"),
});

test("a process that ends before it was ever ready is not started again: the start fails with its words", async () => {
  const { ready, end } = keepRunning(
    "graphql1",
    program("console.error('PORT: bad'); process.exit(2)"),
    never,
    () => {},
  );
  onTestFinished(end);
  await expect(ready()).rejects.toThrow("graphql1 ended (exit code 2) before it was ready:\nPORT: bad");
});

test("a command that is missing fails the start", async () => {
  const { ready, end } = keepRunning(
    "redis",
    { ...program(""), command: "no-such-command" },
    never,
    () => {},
  );
  onTestFinished(end);
  await expect(ready()).rejects.toThrow("redis cannot be started: spawn no-such-command ENOENT");
});

test("a process that fails after it was ready is restarted after a second, and each restart is logged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "member-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const starts = join(folder, "starts");
  writeFileSync(starts, "");
  const text = `const { appendFileSync, readFileSync } = require("node:fs");
    if (readFileSync(${JSON.stringify(starts)}, "utf8")) { appendFileSync(${JSON.stringify(starts)}, "x"); console.log("refused"); process.exit(2); }
    appendFileSync(${JSON.stringify(starts)}, "x"); console.log("ready"); setInterval(() => {}, 1000);`;
  const said: string[] = [];
  const { member, ready, end } = keepRunning("gateway1", program(text), never, (line) => said.push(line));
  onTestFinished(end);
  await ready();
  member.child().kill("SIGKILL");
  await expect.poll(() => said.length, { timeout: 10_000 }).toBe(3);
  expect(said[0]).toContain("gateway1 ended (SIGKILL), and is started again");
  expect(said[2]).toBe("gateway1 ended (exit code 2), and is started again. It said:\nrefused");
  expect(readFileSync(starts, "utf8").length).toBeLessThanOrEqual(4);
});

const isInstalled = !spawnSync("haproxy", ["-v"]).error && !spawnSync("openssl", ["version"]).error;

test.skipIf(!isInstalled).for(["SIGTERM", "SIGHUP"] as const)(
  "%s before the chain is ready ends every process",
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), "local-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = { PATH: process.env.PATH, TMPDIR: folder };
    const local = spawn(process.execPath, [start], { env, stdio: "ignore", detached: true });
    /** The processes of its group. */
    const all = (): string[] =>
      readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === local.pid);
    const isRole = (pid: string): boolean =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("src/main.ts");
    await expect.poll(() => all().some(isRole)).toBe(true);
    local.kill(signal);
    const [code] = await once(local, "exit");
    const left = all();
    if (left.length > 0) process.kill(-(local.pid ?? 0), "SIGKILL");
    expect({ code, left, folders: readdirSync(folder) }).toEqual({ code: 0, left: [], folders: [] });
  },
);

/** Field 5 of /proc/<pid>/stat; a zombie counts as ended. */
function groupOf(pid: string): number | undefined {
  try {
    const [state, , group] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return state === "Z" ? undefined : Number(group);
  } catch {
    return undefined;
  }
}
