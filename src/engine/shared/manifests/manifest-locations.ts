/**
 * `OPERATIONS_FROM`: where the manifests of apps are. An app is a client's repository with operations of its own. One
 * entry is `web=https://cdn.example/web.json`, `web=manifests/web.json`, or a folder. A folder has a file `<app>.json` or a
 * folder `<app>/` for each app; with `web=` all its files are of this app.
 */

import { shownUrl, withShownUrls } from "../shown-url.ts";

/** `app` is absent for a folder whose files name their apps. */
export type ManifestLocation = { readonly app: string | undefined; readonly at: string };

/** Apps are labels of metrics, and parts of names. */
export const isAppName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** Throws `Error` for a list that cannot be meant. */
export const parseManifestLocations = (value: string): readonly ManifestLocation[] =>
  value.split(",").flatMap((item) => parsePlace(item.trim()) ?? []);

function parsePlace(item: string): ManifestLocation | undefined {
  if (item === "") return undefined;
  const [, app, named] = /^([^=/:]+)=(.+)$/.exec(item) ?? [];
  const at = named ?? item;
  if (app !== undefined && !isAppName(app))
    throw new Error(
      `wants names of letters, digits, ".", "_" and "-"; ${JSON.stringify(withShownUrls(app))} is none`,
    );
  if (isHttpUrl(at) && !URL.canParse(at)) throw new Error(`${JSON.stringify(shownUrl(at))} is no URL`);
  if (app === undefined && (isHttpUrl(at) || at.endsWith(".json")))
    throw new Error(`wants the app before a file or URL: app=${shownUrl(at)}`);
  return { app, at };
}
