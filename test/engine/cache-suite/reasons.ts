/**
 * Why a case of the suite does not pass, where that is meant. A case may also build on one that has a reason. A reason that no
 * case needs is an error.
 */
type Reason = { readonly because: string; readonly cases: RegExp };

export const reasons: readonly Reason[] = [
  {
    because: "RFC 9111 §5.1 turned this around: the first value counts, and one that is no number is ignored",
    cases: /^age-parse-(?:nonnumeric|negative|prefix-twoline|dup-0|dup-0-twoline|dup-old)$/,
  },
  {
    because:
      "a value is handed on, not an HTTP message: what clients are told is the time that is left, less the age",
    cases: /^other-age-|^headers-omit-headers-listed-in-Connection$/,
  },
  {
    because: "about what users tell their browser: nobody tells this client to reload",
    cases: /^cc-resp-immutable-stale$/,
  },
  {
    because:
      "a response in an encoding that nobody knows, or of another length than it says, is refused as broken",
    cases: /^headers-store-Content-Encoding$|^304-etag-update-response-Content-(?:Encoding|Length)$/,
  },
  {
    because: "a 304 with another ETag updates nothing (RFC 9111 §4.3.4), so the next read asks again",
    cases: /^304-etag-update-response-ETag$/,
  },
  {
    because: "the read fails, as it must: the runner takes every failed read for a failed case",
    cases: /^stale-close-/,
  },
  { because: "no lifetime is guessed: REST's headers alone decide", cases: /^heuristic-/ },
  {
    because: "only responses with status 200 are kept: another status has no value of its own",
    cases: /^status-/,
  },
  { because: "the response to a write is never kept", cases: /^method-POST$/ },
  {
    because: "all headers are part of the key: nobody gets a response that was asked for in another way",
    cases: /^vary-(?:cache-key|normalise-)|^other-cookie$/,
  },
  {
    because: "a write that failed may have changed something, so it drops what its caller has stored",
    cases: /^invalidate-.*-failed$/,
  },
  { because: "ranges are never asked for", cases: /^partial-/ },
];
