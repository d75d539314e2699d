/**
 * The text of a saved operation, its owners, and the texts that clients make of it. Apollo Client and urql add `__typename`
 * before they send or hash an operation. urql also prints it in a different format.
 */

import type { DocumentNode } from "graphql";
import { Kind, parse, print, stripIgnoredCharacters, visit } from "graphql";
import { deferName } from "../../../shared/defer.ts";
import { withoutDescriptions } from "../../../shared/operation-descriptions.ts";
import type { OperationName } from "../../observe/request-record.ts";

export class SavedText {
  readonly text: string;
  /** The names of the operation, by app; `undefined` is the key of this service. Several apps may save the same operation. */
  readonly owners = new Map<string | undefined, OperationName>();

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the app's name for the operation, or else the first owner's. */
  ownerFor(app: string | undefined): OperationName | undefined {
    return this.owners.get(app) ?? this.owners.values().next().value;
  }

  get firstApp(): string | undefined {
    return this.owners.keys().next().value;
  }
}

/** Returns the texts that clients make of an operation: unchanged, with `__typename`, and both with labels for `@defer`. */
export const clientTexts = (text: string): readonly string[] => {
  const texts = [text, withTypeNames(text)];
  return text.includes("@defer") ? [...texts, ...texts.map(withDeferLabels)] : texts;
};

/** Returns the shortest forms of the texts that clients make of an operation. */
export function formsOf(text: string): readonly string[] {
  try {
    return clientTexts(text).map(shortest);
  } catch {
    return []; // an app may save a text that is not a GraphQL document
  }
}

/**
 * Matches a string that may be the description of an operation, a fragment or a variable. `stripIgnoredCharacters` leaves a space
 * between a string and a keyword.
 */
const mayDescribe = /" (?:query|mutation|subscription|fragment)|"\$/;

/** Removes ignored tokens (GraphQL spec §2.1.7) and descriptions. Throws if the text is not a GraphQL document. */
export function shortest(text: string): string {
  const stripped = stripIgnoredCharacters(text);
  if (!mayDescribe.test(stripped)) return stripped;
  return stripIgnoredCharacters(print(withoutDescriptions(parse(stripped, { noLocation: true }))));
}

const typeName = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } } as const;

/** Adds `__typename` to all selection sets except that of the operation itself, as Apollo Client and urql do. */
const withTypeNames = (text: string): string =>
  print(
    visit(parse(text, { noLocation: true }), {
      SelectionSet(set, _key, parent) {
        const isRoot = parent !== undefined && "kind" in parent && parent.kind === Kind.OPERATION_DEFINITION;
        const hasIt = set.selections.some(
          (node) => node.kind === Kind.FIELD && node.name.value === "__typename",
        );
        return isRoot || hasIt ? undefined : { ...set, selections: [...set.selections, typeName] };
      },
    }),
  );

/** Adds a label to each `@defer` without one, like `addDeferFragmentLabels` of `@apollo/client` (`GraphQL17Alpha9Handler`). */
function withDeferLabels(text: string): string {
  let count = 0;
  return print(
    visit(parse(text, { noLocation: true }), {
      Directive(node) {
        if (node.name.value !== deferName) return undefined;
        const given = node.arguments ?? [];
        const index = given.findIndex(({ name }) => name.value === "label");
        const own = given[index]?.value;
        if (own?.kind === Kind.STRING && own.value !== "" && !own.value.startsWith("ac_")) return undefined;
        const label = {
          kind: Kind.ARGUMENT,
          name: { kind: Kind.NAME, value: "label" },
          value: { kind: Kind.STRING, value: `ac_${count++}` },
        } as const;
        return { ...node, arguments: index < 0 ? [...given, label] : given.with(index, label) };
      },
    }),
  );
}

const string = /("{3}[\s\S]*"{3}|"(?:\\.|[^"])*")/;

/** Prints a document like urql (`stringifyDocument` of `@urql/core`): without empty lines, and with each string on a new line. */
export const printAsUrql = (text: string): string =>
  text
    .split(string)
    .map((part, index) => (index % 2 === 0 ? part.replace(/\n+|$/g, "\n") : part))
    .join("")
    .trim();

const bytesPerToken = 100;

/** Estimates the memory of a parsed document: its nodes as JSON, its source text, and its tokens including comments. */
export function documentSize(document: DocumentNode): number {
  let bytes = JSON.stringify(document).length + (document.loc?.source.body.length ?? 0);
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) bytes += bytesPerToken;
  return bytes;
}
