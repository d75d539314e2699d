/** An editor for tests: `restbound lsp`, started as an editor starts it, with the client of Microsoft's protocol library. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import {
  type ClientCapabilities,
  type CodeAction,
  CodeActionRequest,
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  FileChangeType,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  type Range,
  RegistrationRequest,
  ShowMessageNotification,
  ShutdownRequest,
  type TextDocumentPositionParams,
} from "vscode-languageserver-protocol/node";

const repository = join(import.meta.dirname, "../../../..");

export const startServer = (cwd: string): ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> } => {
  const server = spawn(
    process.execPath,
    [join(repository, "src/engine/bin/restbound.ts"), "lsp", "--stdio"],
    { cwd },
  );
  server.stderr.pipe(process.stderr);
  return server;
};

/** A project with this service's `spec/`, or with the given files, in a folder that the editor has opened. */
export async function openEditor({
  files,
  capabilities = {},
}: {
  readonly files?: string;
  readonly capabilities?: ClientCapabilities;
} = {}) {
  const root = mkdtempSync(join(tmpdir(), "restbound lsp ä-"));
  cpSync(files ?? join(repository, "spec"), join(root, "spec"), { recursive: true });
  const server = startServer(root);
  if (!server.stdin) throw new Error("no stdin");
  const client = createProtocolConnection(server.stdout, server.stdin);
  const shown = new Map<
    string,
    { readonly diagnostics: readonly Diagnostic[]; readonly version?: number | undefined }
  >();
  const messages: string[] = [];
  const watched: unknown[] = [];
  let version = 0;

  const uriOf = (file: string): string => pathToFileURL(join(root, "spec", file)).href;
  const isIn = (file: string): boolean => shown.has(uriOf(file));
  client.onNotification(PublishDiagnosticsNotification.type, ({ uri, ...rest }) => void shown.set(uri, rest));
  client.onNotification(ShowMessageNotification.type, ({ message }) => void messages.push(message));
  client.onRequest(RegistrationRequest.type, ({ registrations }) => void watched.push(...registrations));
  client.listen();
  await client.sendRequest(InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities });
  await client.sendNotification(InitializedNotification.type, {});

  return {
    root,
    server,
    client,
    messages,
    watched,
    uriOf,
    isIn,
    path: (file: string): string => join(root, "spec", file),
    saved: (file: string): string => readFileSync(join(root, "spec", file), "utf8"),
    open: (file: string, text = readFileSync(join(root, "spec", file), "utf8")) =>
      client.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri: uriOf(file), languageId: "plaintext", version: ++version, text },
      }),
    openUri: (uri: string) =>
      client.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: "plaintext", version: ++version, text: "{" },
      }),
    write: (file: string, text: string) =>
      client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: uriOf(file), version: ++version },
        contentChanges: [{ text }],
      }),
    close: (file: string) =>
      client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: uriOf(file) } }),
    touched: (file: string) =>
      client.sendNotification(DidChangeWatchedFilesNotification.type, {
        changes: [{ uri: uriOf(file), type: FileChangeType.Changed }],
      }),
    /** The diagnostics of a file, once `isDone` is true for them. */
    diagnostics: async (
      file: string,
      isDone: (diagnostics: readonly Diagnostic[]) => boolean,
    ): Promise<readonly Diagnostic[]> => {
      const now = () => shown.get(uriOf(file))?.diagnostics ?? [];
      await expect.poll(() => isDone(now()) || now(), { timeout: 30_000, interval: 5 }).toBe(true);
      return now();
    },
    actions: async (file: string, range: Range): Promise<CodeAction[]> =>
      ((await client.sendRequest(CodeActionRequest.type, {
        textDocument: { uri: uriOf(file) },
        range,
        context: { diagnostics: [] },
      })) ?? []) as CodeAction[],
    at: (file: string, text: string, words: string, shift = 0): TextDocumentPositionParams => {
      const before = text.slice(0, text.indexOf(words) + shift).split("\n");
      return {
        textDocument: { uri: uriOf(file) },
        position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
      };
    },
    /** CPU time of the server so far, in ms (proc_pid_stat(5), at 100 ticks a second). */
    cpuTime: (): number => {
      const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    quit: async (): Promise<void> => {
      await client.sendRequest(ShutdownRequest.type);
      await client.sendNotification(ExitNotification.type);
      client.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The part of a text in a range. */
export function textIn(text: string, { start, end }: Range): string {
  const lines = text.split("\n");
  if (start.line !== end.line) return lines.slice(start.line, end.line + 1).join("\n");
  return lines[start.line]?.slice(start.character, end.character) ?? "";
}
