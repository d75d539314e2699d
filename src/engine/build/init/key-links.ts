/**
 * Writes the links that keys suggest behind a schema. A link that binds without a finding is a field. A link that needs a
 * decision, because it makes a call for each parent or needs a whole list, is a comment. A link with an error is left out.
 */
import { bindSdl } from "../bind/bind.ts";
import type { Model } from "../bind/model.ts";
import { findKeyLinks, type KeyLink } from "./find-key-links.ts";

export type KeyLinks = {
  readonly sdl: string;
  /** The numbers of links that are fields, and that are comments. */
  readonly fields: number;
  readonly comments: number;
};

/** A link, and the place of the binding that is tried. */
type Tried = { readonly link: KeyLink; readonly place: number };

const commentHead = (hasItem: boolean): string =>
  `# Links that the names of keys suggest: remove the # of those that you want.${hasItem ? " One with ITEM needs a list that is always whole." : ""}
# Each${hasItem ? " other" : ""} one makes a call for each parent: approve the finding of \`npm run check\`.
`;

/** `model` has the document, `started` the fields of `sdl` too. */
export function withKeyLinks(model: Model, sdl: string, started: Model | undefined): KeyLinks {
  let tried: Tried[] = started ? findKeyLinks(started).map((link) => ({ link, place: 0 })) : [];
  while (tried.length > 0) {
    const { diagnostics } = bindSdl(model, `${sdl}\n\n${tried.map(extension).join("\n\n")}`);
    const at = (severity: string) =>
      new Set(diagnostics.flatMap((each) => (each.severity === severity ? [each.coordinate] : [])));
    const [wrong, doubtful] = [at("error"), at("warning")];
    const failed = tried.filter(({ link }) => wrong.has(`${link.owner}.${link.field}`));
    if (failed.length === 0) {
      // an error elsewhere means that the links broke something: no link is better
      if (wrong.size > 0) tried = [];
      const isDoubtful = ({ link, place }: Tried): boolean =>
        place >= link.sure || doubtful.has(`${link.owner}.${link.field}`);
      const [comments, fields] = [true, false].map((is) =>
        tried.filter((each) => isDoubtful(each) === is),
      ) as [Tried[], Tried[]];
      return { sdl: written(sdl, fields, comments), fields: fields.length, comments: comments.length };
    }
    tried = tried
      .map((each) => (failed.includes(each) ? { ...each, place: each.place + 1 } : each))
      .filter(({ link, place }) => place < link.bindings.length);
  }
  return { sdl, fields: 0, comments: 0 };
}

function written(sdl: string, fields: readonly Tried[], comments: readonly Tried[]): string {
  const commented = comments.map((each) => extension(each).replaceAll(/^/gm, "# ")).join("\n#\n");
  return [
    sdl,
    ...fields.map(extension),
    ...(comments.length > 0 ? [commentHead(commented.includes("in: ITEM")) + commented] : []),
  ].join("\n\n");
}

const extension = ({ link: { owner, bindings }, place }: Tried): string =>
  `extend type ${owner} {\n  ${bindings[place]}\n}`;
