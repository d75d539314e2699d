/**
 * Finds changes that `init` copies only if the user confirms them. An overlay that changes servers, security requirements or
 * security schemes (OpenAPI 3.1 §4.8.5, §4.8.30, §4.8.27) determines where callers' credentials are sent. The overlay may come
 * from the document's vendor, but looks like the project's own once it is copied. An `x-from-header` that names another
 * product's header must be confirmed too.
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

/** The document passed to `init`. */
type Given = {
  /** Its path or URL, as given by the user. */
  readonly openapi: string;
  /** The file names of the document and its overlay in the project. */
  readonly place: NamedDocument;
  /** Reads the files of the document, and those of the project that it is added to. */
  readonly read: ReadFile;
};

/**
 * Throws `UsageError` with the unconfirmed changes, or with confirmations that match no change. `confirmed`: the changes as URI
 * fragments (RFC 6901 §6). `project`: all documents of the project, including the new one.
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

/** A declaration of servers or security in the document. */
type Statement = { readonly of: string; readonly value: string; readonly place: FileLocation };

type Changes = [pointer: string, text: string][];

/** Finds the changes that the overlay makes. If several paths or operations have the same change, only the first is listed. */
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

/**
 * The declarations of a document, by JSON pointer. Operations that the overlay removes are skipped, because they are never
 * called.
 */
function statementsOf(document: RestDocument): Map<string, Statement> {
  const { root } = document;
  const statements = new Map<string, Statement>();
  const add = (steps: readonly string[], node: RestNode, of: string): void => {
    for (const [member, textOf] of [
      ["servers", serversText],
      ["security", securityText],
    ] as const) {
      const own = membersOf(node.value)[member];
      // checks each item, because the overlay may have appended items to the document's list
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

/** The security schemes whose `x-from-header` names a header with another document's credential. */
function claims({ openapi, place: { name } }: Given, project: RestDocument): Changes {
  const [own, others] = [true, false].map((is) =>
    project.roots.filter((root) => (root.name === name) === is),
  );
  const taken = new Map(
    (others ?? []).flatMap((root) =>
      schemesIn(project, root).map(({ node }) => [headerOf(node), root.name ?? ""] as const),
    ),
  );
  return (own ?? []).flatMap((root) =>
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

/** The security schemes of a document. `node` is undefined if the scheme's `$ref` cannot be resolved. */
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

/**
 * Describes security requirements: `key and tenant or bearer`. Scopes are omitted, because they do not affect which credentials
 * are sent.
 */
function securityText(security: unknown): string {
  if (!Array.isArray(security)) return "";
  const alternatives = security.filter(isRecord).map((each) => Object.keys(each).join(" and ") || "none");
  return alternatives.join(" or ") || "none";
}

/** Describes the members of a security scheme that determine the request header and the destination of its credential. */
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

/** Describes the location by the file names that the user passed to `init`. */
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
