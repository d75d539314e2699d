/** URLs without user, password, query and fragment, which may be secret, for logs, errors, reports and `--check-config`. */

/** An invalid URL is cut to its scheme. Text that is no URL is unchanged. */
export function shownUrl(given: string): string {
  const url = URL.parse(given);
  if (!url) return given.replace(/^([a-z][a-z\d+.-]*:\/\/).*/is, "$1…");
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(given)) return given;
  const path = url.pathname === "/" && !/^[^?#]*\/(?:[?#]|$)/.test(given) ? "" : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}

/** Applies `shownUrl` to each URL in a text, such as a library's error message. */
export const withShownUrls = (text: string): string =>
  text.replaceAll(/\b[a-z][a-z\d+.-]*:\/\/[^\s"]*[^\s"'`,.;:!)\]>]/gi, (url) =>
    /[@?#]/.test(url) ? shownUrl(url) : url,
  );
