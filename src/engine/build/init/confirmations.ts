/**
 * Finds changes that `init` copies only if the user confirms them. An overlay that changes servers, security requirements or
 * security schemes (OpenAPI 3.1 §4.8.5, §4.8.30, §4.8.27) decides where callers' credentials are sent. The document's vendor may
 * have written the overlay, but in the project it looks like the owner's. `init` also asks about an `x-from-header` that names
 * the header of another product's credential.
 */
import { posix } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { quoteArgument } from "../../shared/cli/printable.ts";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import type { FileLocation } from "../diagnostic.ts";
import { keysOf, type ReadFile, RestDocument, type RestNode, type RootNode } from "../openapi/document.ts";
import { type NamedDocument, singleDocumentFile } from "../openapi/document-files.ts";
import { escapePointer } from "../openapi/json-pointer.ts";
import { sentMethod } from "../openapi/operation.ts";
import { operationNodes } from "../openapi/operation-nodes.ts";
import { headerOf, securitySchemesOf } from "../openapi/security.ts";

type Given = {
  /** The path or URL as the user passed it. */
  readonly openapi: string;
  /** The file names that the document and its overlay get in `spec/`. */
  readonly place: NamedDocument;
  /** Reads the document's files. With `--name`, also reads the files of the existing project. */
  readonly read: ReadFile;
};

/**
 * Throws `UsageError` if there are unconfirmed changes, or confirmations that match no change. The error lists them. `confirmed`
 * contains URI fragments (RFC 6901 §6). `project` contains all documents of the project, including the new one.
 */
export function refuseUnconfirmed(given: Given, confirmed: readonly string[], project?: RestDocument): void {
  const changes = new Map([...overlayChanges(given), ...(project ? claims(given, project) : [])]);
  const needless = confirmed.filter((pointer) => !changes.has(pointer));
  if (needless.length > 0)
    throw new UsageError(needless.map((pointer) => `--confirm ${pointer}: there is nothing to confirm`));
  const open = [...changes].filter(([pointer]) => !confirmed.includes(pointer));
  if (open.length === 0) return;
  throw new UsageError([
    `--openapi ${given.openapi}: its files decide which credentials of callers go where. Confirm each line that you agree with, or remove what it names from the file:`,
    ...open.map(([pointer, text]) => `  --confirm ${quoteArgument(pointer)}  ${text}`),
  ]);
}

/** A declaration of servers, security requirements or a security scheme. */
type Statement = { readonly of: string; readonly value: string; readonly place: FileLocation };

type Changes = [pointer: string, text: string][];

/** Of paths or operations with the same change, lists only the first. */
function overlayChanges({ openapi, place: named, read }: Given): Changes {
  if (read(named.overlay) === undefined) return [];
  const document = new RestDocument([named], read);
  const plain = new RestDocument([named], (file) => (file === named.overlay ? undefined : read(file)));
  const before = statementsOf(plain);
  const changed = [...statementsOf(document)].filter(
    ([pointer, { value }]) => value !== (before.get(pointer)?.value ?? ""),
  );
  const groups = Map.groupBy(changed, ([pointer, { value }]) =>
    pointer.startsWith("#/paths/") ? `${pointer.split("/").at(-1)} ${value}` : pointer,
  );
  return [...groups.values()].flatMap(([first, ...others]): Changes => {
    if (!first) return [];
    const [pointer, { of, value, place }] = first;
    const all = others.length > 0 ? `${of} and ${others.length} more` : of;
    const was = shortened(before.get(pointer)?.value ?? "");
    return [
      [
        pointer,
        `${placeText(openapi, document.root, place)}: ${all}: ${shortened(value)}; without the overlay: ${was}`,
      ],
    ];
  });
}

/** Returns the statements by JSON pointer. Skips operations that the overlay removes, because they are never called. */
function statementsOf(document: RestDocument): Map<string, Statement> {
  const { root } = document;
  const statements = new Map<string, Statement>();
  const add = (steps: readonly string[], node: RestNode, of: string): void => {
    for (const [member, textOf] of [
      ["servers", serversText],
      ["security", securityText],
    ] as const) {
      const own = membersOf(node.value)[member];
      // the overlay may have appended items to the document's list, so each item can come from either file
      const places = keysOf({ ...node, value: own }).map((item) => document.place(node, member, item));
      const place = places.find(({ file }) => file === root.overlay) ?? document.place(node, member);
      statements.set(fragmentOf([...steps, member]), {
        of: `${member} of ${of}`,
        value: textOf(own),
        place,
      });
    }
  };
  add([], root, "the document");
  for (const { name, node, raw } of schemesIn(document, root))
    statements.set(schemeFragment(name), {
      of: `security scheme ${name}`,
      value: schemeText((node ?? raw).value),
      place: document.place(raw, fromHeader),
    });
  for (const { path, method, item, node } of operationNodes(document)) {
    const own = path.slice(root.name?.length ?? 0);
    add(["paths", own], item, own);
    add(["paths", own, method], node, `${sentMethod(method)} ${own}`);
  }
  return statements;
}

/** Finds security schemes with an `x-from-header` that names the header of another document's credential. */
function claims({ openapi, place: { name } }: Given, project: RestDocument): Changes {
  const own = project.roots.filter((root) => root.name === name);
  const others = project.roots.filter((root) => root.name !== name);
  const taken = new Map(
    others.flatMap((root) =>
      schemesIn(project, root).map(({ node }) => [headerOf(node), root.name ?? ""] as const),
    ),
  );
  return own.flatMap((root) =>
    schemesIn(project, root).flatMap(({ name: scheme, node }): Changes => {
      const header = membersOf(node?.value)[fromHeader] === undefined ? undefined : headerOf(node);
      const owner = header === undefined ? undefined : taken.get(header);
      if (!node || owner === undefined) return [];
      const at = placeText(openapi, root, project.place(node, fromHeader));
      return [
        [
          schemeFragment(scheme),
          `${at}: security scheme ${scheme}: ${schemeText(node.value)}; ${owner} takes this header`,
        ],
      ];
    }),
  );
}

const fromHeader = "x-from-header";

/** `node` is missing if the scheme's `$ref` cannot be resolved. */
function schemesIn(
  document: RestDocument,
  root: RootNode,
): { name: string; node?: RestNode; raw: RestNode }[] {
  const schemes = securitySchemesOf(document, root);
  return keysOf(schemes).flatMap((name) => {
    if (!schemes) return [];
    const place = { file: schemes.file, path: [...schemes.path, name] };
    const node = document.child(schemes, name);
    return [{ name, raw: { ...place, value: document.valueAt(place) }, ...(node && { node }) }];
  });
}

const fragmentOf = (steps: readonly string[]): string =>
  `#${steps.map((step) => `/${encodeURIComponent(escapePointer(step).toWellFormed())}`).join("")}`;

const schemeFragment = (name: string): string => fragmentOf(["components", "securitySchemes", name]);

const serversText = (servers: unknown): string =>
  Array.isArray(servers) ? servers.map((server) => text(membersOf(server).url)).join(", ") : "";

/** Returns text such as `key and tenant or bearer`. Omits scopes, because they do not affect which credentials are sent. */
function securityText(security: unknown): string {
  if (!Array.isArray(security)) return "";
  const alternatives = security.filter(isRecord).map((each) => Object.keys(each).join(" and ") || "none");
  return alternatives.join(" or ") || "none";
}

/** Describes which header a scheme's credential is read from, and how it is sent. */
const schemeText = (scheme: unknown): string =>
  [fromHeader, "type", "in", "scheme", "name", "$ref"]
    .flatMap((member) => {
      const value = own(membersOf(scheme), member);
      return value === undefined ? [] : [`${member} ${text(value)}`];
    })
    .join(", ");

const text = (value: unknown): string =>
  typeof value === "string" ? value : `a value of type ${typeof value}`;

const mostShown = 300;

function shortened(value: string): string {
  if (value === "") return "nothing";
  return value.length > mostShown ? `${value.slice(0, mostShown)}…` : value;
}

/** Prints the location with the file names that the user passed to `init`. */
function placeText(
  openapi: string,
  { file: main, overlay }: RootNode,
  { file, line, column }: FileLocation,
): string {
  const folder = posix.dirname(openapi.replaceAll("\\", "/"));
  const name =
    file === main
      ? openapi
      : posix.join(
          folder,
          file === overlay ? singleDocumentFile.overlay : posix.relative(posix.dirname(main), file),
        );
  return `${name}:${line}:${column}`;
}
