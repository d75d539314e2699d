/** A language server (LSP 3.17) for the projects of all open files. */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CancellationToken,
  type ClientCapabilities,
  type CodeAction,
  CodeActionKind,
  CompletionItemKind,
  type Connection,
  DiagnosticSeverity,
  DidChangeWatchedFilesNotification,
  type Diagnostic as EditorDiagnostic,
  type Location,
  MessageType,
  type Range,
  ShowMessageNotification,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { engineManifest } from "../../shared/engine-manifest.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import type { Model } from "../bind/model.ts";
import { approvalOrAdvice, impactLines } from "../check/format/text.ts";
import type { Finding, Frame } from "../check/report.ts";
import { ruleUrl } from "../check/rules.ts";
import type { FileLocation } from "../diagnostic.ts";
import { type Suggestion, suggestionsAt } from "./completion.ts";
import { boundCoordinates, coordinateLocations, restNodesAt } from "./definitions.ts";
import { hoverAt } from "./hover.ts";
import type { Fix } from "./quick-fixes.ts";
import { schemaPositionAt } from "./schema-position.ts";
import { Workspace } from "./workspace.ts";

/** A check begins when the user has paused for the duration of the last check, limited to between 40 ms and 1 s. */
const shortestPause = 40;
const longestPause = 1_000;

export function serveEditor(connection: Connection, today: () => string): void {
  const documents = new TextDocuments(TextDocument);
  /** Project root → workspace. */
  const workspaces = new Map<string, Workspace>();
  /** Project root → URIs with published diagnostics. */
  const published = new Map<string, ReadonlySet<string>>();
  let capabilities: ClientCapabilities = {};
  let timer: NodeJS.Timeout | undefined;
  let pause = shortestPause;
  /** Number of edits so far. A check that began before the latest edit discards its results. */
  let edits = 0;
  let hasWarned = false;

  const workspaceAt = (root: string): Workspace => {
    const spec = join(root, "spec");
    const openTexts = (): Map<string, string> =>
      new Map(
        documents.all().flatMap((document) => {
          const path = pathOf(document.uri);
          const name = path === undefined ? ".." : relative(spec, path);
          return name.startsWith("..") ? [] : [[portable(name), withoutMark(document)] as const];
        }),
      );
    const workspace = workspaces.get(root) ?? new Workspace(root, openTexts, today);
    workspaces.set(root, workspace);
    return workspace;
  };

  /** Returns the project that contains the file and the file's name in `spec/`, or `undefined` outside a project. */
  const projectOf = (uri: string): { workspace: Workspace; file: string } | undefined => {
    const path = pathOf(uri);
    const root = path === undefined ? undefined : projectRoot(path);
    return path === undefined || root === undefined
      ? undefined
      : { workspace: workspaceAt(root), file: portable(relative(join(root, "spec"), path)) };
  };

  /** Returns the URI of an open file as the editor wrote it: editors encode URIs differently from Node. */
  const uriOf = (root: string, file: string): string => {
    const path = join(root, file);
    return documents.all().find(({ uri }) => pathOf(uri) === path)?.uri ?? pathToFileURL(path).href;
  };

  const textAt = (uri: string): TextDocument => {
    const open = documents.get(uri);
    if (open) return open;
    try {
      return TextDocument.create(uri, "", 0, readRegularFile(pathOf(uri) ?? ""));
    } catch {
      return TextDocument.create(uri, "", 0, "");
    }
  };

  const locationOf = (root: string, frame: Pick<Frame, "file" | "line" | "column">): Location => {
    const uri = uriOf(root, frame.file);
    return { uri, range: wordRange(textAt(uri), frame) };
  };

  const publish = async (workspace: Workspace): Promise<void> => {
    const { root } = workspace;
    const byUri = new Map<string, EditorDiagnostic[]>();
    // the project may have been deleted or renamed
    if (existsSync(join(root, "spec"))) {
      for (const finding of workspace.analyse().findings)
        for (const [uri, diagnostic] of editorDiagnostics(root, finding))
          byUri.set(uri, [...(byUri.get(uri) ?? []), diagnostic]);
    } else workspaces.delete(root);
    const gone = [...(published.get(root) ?? [])].filter((uri) => !byUri.has(uri));
    published.set(root, new Set(byUri.keys()));
    for (const uri of gone) await connection.sendDiagnostics({ uri, diagnostics: [] });
    for (const [uri, diagnostics] of byUri) {
      const version = documents.get(uri)?.version;
      await connection.sendDiagnostics({ uri, diagnostics, ...(version !== undefined && { version }) });
    }
  };

  /** Converts a finding to one diagnostic per location. Each diagnostic refers to the other locations as related information. */
  const editorDiagnostics = (root: string, finding: Finding): [uri: string, EditorDiagnostic][] => {
    const { rule, severity, message, approval, places } = finding;
    const shown =
      places.length > 0
        ? places
        : [{ file: "spec/schema.graphql", line: 1, column: 1, role: "file" as const }];
    const located = shown.map((place) => ({ role: place.role, location: locationOf(root, place) }));
    return located.map((each) => [
      each.location.uri,
      {
        range: each.location.range,
        severity: approval ? DiagnosticSeverity.Hint : severities[severity],
        code: rule,
        codeDescription: { href: ruleUrl(rule, engineManifest().version) },
        source: "restbound",
        message: [message, ...impactLines(finding), approvalOrAdvice(finding)].join("\n"),
        relatedInformation: located
          .filter((other) => other !== each)
          .map(({ role, location }) => ({ location, message: roles[role] })),
      },
    ]);
  };

  const checkAll = async (): Promise<void> => {
    for (const workspace of workspaces.values()) {
      const seen = edits;
      const start = performance.now();
      workspace.analyse();
      pause = Math.min(Math.max(performance.now() - start, shortestPause), longestPause);
      await pendingMessages();
      if (edits !== seen) return; // the timer will start another check
      await publish(workspace);
    }
  };

  const changed = (): void => {
    edits++;
    for (const workspace of workspaces.values()) workspace.invalidate();
    clearTimeout(timer);
    timer = setTimeout(() => {
      checkAll().catch((error: unknown) =>
        connection.console.error(error instanceof Error ? String(error.stack) : String(error)),
      );
    }, pause);
  };

  /** Returns `undefined` outside a project, and before the first model has been built. */
  const targetOf = ({ textDocument: { uri }, position }: TextDocumentPositionParams) => {
    const project = projectOf(uri);
    const document = documents.get(uri);
    const model = project?.workspace.lastModel;
    if (!project || !document || !model) return undefined;
    return { ...project, document, model, offset: document.offsetAt(position), position };
  };
  type Target = NonNullable<ReturnType<typeof targetOf>>;

  const coordinatesAt = ({ model, file, document, position }: Target): string[] => {
    const column = position.character + 1 - markLength(document, position.line);
    const path = model.document.pathAt({ file, line: position.line + 1, column });
    return path ? boundCoordinates(model, file, path) : [];
  };

  const editOf = (root: string, { file, start, end, text }: Fix): WorkspaceEdit => {
    const uri = uriOf(root, `spec/${file}`);
    const document = textAt(uri);
    const shift = markLength(document, 0);
    const range = { start: document.positionAt(start + shift), end: document.positionAt(end + shift) };
    const edit = { range, newText: text };
    if (existsSync(join(root, "spec", file))) return { changes: { [uri]: [edit] } };
    return {
      documentChanges: [
        { kind: "create", uri, options: { ignoreIfExists: true } },
        { textDocument: { uri, version: null }, edits: [edit] },
      ],
    };
  };

  connection.onInitialize((params) => {
    capabilities = params.capabilities;
    return {
      serverInfo: { name: "restbound", version: engineManifest().version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        hoverProvider: true,
        definitionProvider: true,
        completionProvider: { triggerCharacters: ['"', ".", "(", "{", " "] },
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      },
    };
  });
  connection.onInitialized(async () => {
    if (capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration)
      await connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: [{ globPattern: "**/spec/**" }],
      });
  });
  connection.onDidChangeWatchedFiles(changed);
  documents.onDidOpen(({ document: { uri } }) => {
    if (projectOf(uri) || workspaces.size > 0 || hasWarned) return;
    hasWarned = true;
    const message = `restbound: ${pathOf(uri) ?? uri} is not part of a project, so nothing is checked. A project is a folder with spec/schema.graphql; npx restbound init creates one.`;
    void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message });
  });
  documents.onDidChangeContent(({ document: { uri } }) => {
    if (projectOf(uri)) changed();
  });
  documents.onDidSave(changed); // for editors that do not watch files
  documents.onDidClose(changed);

  connection.onHover(async (params, token) => {
    if (await isCancelled(token)) return null;
    const target = targetOf(params);
    if (!target) return null;
    const { file, model, document, offset } = target;
    const value = isSchema(file)
      ? hoverAt(model, schemaPositionAt(document.getText(), offset))
      : boundText(model, coordinatesAt(target));
    return value === undefined ? null : { contents: { kind: "markdown", value } };
  });

  connection.onDefinition(async (params, token) => {
    if (await isCancelled(token)) return null;
    projectOf(params.textDocument.uri)?.workspace.analyse(); // the locations must match the current texts
    const target = targetOf(params);
    if (!target) return null;
    const { workspace, file, model, document, offset } = target;
    const places: FileLocation[] = isSchema(file)
      ? restNodesAt(model, schemaPositionAt(document.getText(), offset)).map((node) =>
          model.document.place(node),
        )
      : coordinateLocations(model.schema, coordinatesAt(target));
    return places.map((place) => locationOf(workspace.root, { ...place, file: `spec/${place.file}` }));
  });

  // completion uses the last model, because a check of the current texts would be slower than typing
  connection.onCompletion(async (params, token) => {
    if (await isCancelled(token)) return [];
    const target = targetOf(params);
    if (!target || !isSchema(target.file)) return [];
    const { document } = target;
    const position = schemaPositionAt(document.getText(), target.offset);
    const { word } = position;
    // an explicit range, because by default a word ends at a dot, a slash or a dash
    const range = word && { start: document.positionAt(word.start), end: document.positionAt(word.end) };
    return suggestionsAt(target.model, position).map(({ label, detail, kind }) => ({
      label,
      kind: itemKinds[kind],
      ...(detail !== undefined && { detail }),
      ...(range && { textEdit: { range, newText: label } }),
    }));
  });

  connection.onCodeAction(async ({ textDocument: { uri }, range }, token) => {
    if (await isCancelled(token)) return [];
    const workspace = projectOf(uri)?.workspace;
    if (!workspace) return [];
    const { root } = workspace;
    const createsFiles =
      capabilities.workspace?.workspaceEdit?.resourceOperations?.includes("create") ?? false;
    const actions: CodeAction[] = [];
    for (const finding of workspace.analyse().findings) {
      const here = editorDiagnostics(root, finding).find(
        ([at, each]) => at === uri && overlap(each.range, range),
      );
      if (!here) continue;
      for (const fix of workspace.fixesOf(finding)) {
        const edit = editOf(root, fix);
        if (edit.documentChanges && !createsFiles) continue;
        actions.push({ title: fix.title, kind: CodeActionKind.QuickFix, diagnostics: [here[1]], edit });
      }
      if (token.isCancellationRequested) break;
    }
    return actions;
  });

  documents.listen(connection);
  connection.listen();
}

/** Lets the event loop handle messages that have arrived. */
const pendingMessages = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function isCancelled(token: CancellationToken): Promise<boolean> {
  await pendingMessages();
  return token.isCancellationRequested;
}

/** Returns `undefined` for a URI that is not a `file:` URI. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

const portable = (path: string): string => path.split(sep).join("/");

/** Returns the parent of the nearest `spec/` folder that contains the path and has a schema. */
function projectRoot(path: string): string | undefined {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at))
    if (basename(at) === "spec" && existsSync(join(at, "schema.graphql"))) return dirname(at);
  return undefined;
}

const isSchema = (file: string): boolean => file === "schema.graphql";

const byteOrderMark = "\uFEFF";

const withoutMark = (document: TextDocument): string => {
  const text = document.getText();
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
};

/** Returns the length of the byte order mark, which the columns of findings do not count. */
const markLength = (document: TextDocument, line: number): number =>
  line === 0 && document.getText().startsWith(byteOrderMark) ? 1 : 0;

/** Returns the range of the name, string or character at a location. */
function wordRange(document: TextDocument, { line, column }: Pick<Frame, "line" | "column">): Range {
  const start = { line: line - 1, character: column - 1 + markLength(document, line - 1) };
  const rest = document.getText({ start, end: { line, character: 0 } });
  const [word = ""] = /^(?:"[^"\r\n]*"|[@$]?[\w./-]+|[^\r\n])/u.exec(rest) ?? [];
  return { start, end: { line: start.line, character: start.character + word.length } };
}

const overlap = (one: Range, other: Range): boolean =>
  one.start.line <= other.end.line && other.start.line <= one.end.line;

const boundText = ({ fields }: Model, coordinates: readonly string[]): string | undefined => {
  const lines = coordinates.map((each) => {
    const type = fields.get(each)?.definition.type;
    return `- \`${each}${type ? `: ${type}` : ""}\``;
  });
  return lines.length > 0 ? ["GraphQL:", "", ...lines].join("\n") : undefined;
};

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
};

const roles: Readonly<Record<Frame["role"], string>> = {
  schema: "in the GraphQL schema",
  rest: "in the OpenAPI document",
  operation: "in the saved operation",
  file: "in this file",
  "base schema": "in the GraphQL schema of the base",
  "base rest": "in the OpenAPI document of the base",
  "base operation": "in the saved operation of the base",
};

const itemKinds: Readonly<Record<Suggestion["kind"], CompletionItemKind>> = {
  operation: CompletionItemKind.Function,
  parameter: CompletionItemKind.Variable,
  property: CompletionItemKind.Field,
  key: CompletionItemKind.Property,
  value: CompletionItemKind.EnumMember,
};
