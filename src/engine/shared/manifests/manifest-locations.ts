/**
 * `OPERATIONS_FROM`: the locations of the apps' manifests. An app is a client repository with its own operations. An entry is
 * `web=https://cdn.example/web.json`, `web=manifests/web.json`, or a folder. A folder contains a file `<app>.json` or a folder
 * `<app>/` for each app. All files of the folder in `web=<folder>` belong to the app `web`.
 */

import { shownUrl, withShownUrls } from "../shown-url.ts";

/** `app` is `undefined` for a folder in which the names of files and folders are the names of apps. */
export type ManifestLocation = { readonly app: string | undefined; readonly at: string };

/** Whether the name of an app is valid. App names become metric labels and prefixes of operation names. */
export const isAppName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** Parses the comma-separated entries. Throws `Error` if one of them is invalid. */
export const parseManifestLocations = (value: string): readonly ManifestLocation[] =>
  value.split(",").flatMap((item) => parseLocation(item.trim()) ?? []);

function parseLocation(item: string): ManifestLocation | undefined {
  if (item === "") return undefined;
  const [, app, named] = /^([^=/:]+)=(.+)$/.exec(item) ?? [];
  const at = named ?? item;
  if (app !== undefined && !isAppName(app))
    throw new Error(
      `app names have letters, digits, ".", "_" and "-" only; ${JSON.stringify(withShownUrls(app))} is invalid`,
    );
  if (isHttpUrl(at) && !URL.canParse(at)) throw new Error(`${JSON.stringify(shownUrl(at))} is not a URL`);
  if (app === undefined && (isHttpUrl(at) || at.endsWith(".json")))
    throw new Error(`name the app before a file or URL: app=${shownUrl(at)}`);
  return { app, at };
}
