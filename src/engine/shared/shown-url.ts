/**
 * URLs as logs, errors, reports and `--check-config` show them: without user, password, query and fragment, any of which may be a
 * secret.
 */

/** A text that is no URL is shown as it is, unless it begins like one: then only its scheme is certain. */
export function shownUrl(given: string): string {
  const url = URL.parse(given);
  if (!url) return given.replace(/^([a-z][a-z\d+.-]*:\/\/).*/is, "$1…");
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(given)) return given;
  const path = url.pathname === "/" && !/^[^?#]*\/(?:[?#]|$)/.test(given) ? "" : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}

/** The text with each URL in it as it may be shown: messages of libraries name the URL that they were given. */
export const withShownUrls = (text: string): string =>
  text.replaceAll(/\b[a-z][a-z\d+.-]*:\/\/[^\s"]*[^\s"'`,.;:!)\]>]/gi, (url) =>
    /[@?#]/.test(url) ? shownUrl(url) : url,
  );
