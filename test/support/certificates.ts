/** A certificate authority for one test, created by openssl in a folder that the test removes. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecureContextOptions } from "node:tls";

export type Authority = {
  /** The authority's certificate, as a file for `NODE_EXTRA_CA_CERTS`. */
  readonly file: string;
  /**
   * Issues a certificate for `host` (`IP:127.0.0.1`) that is valid for `days` from now; with 0 days, it has already expired.
   */
  readonly issue: (host?: string, days?: number) => SecureContextOptions & { readonly files: string[] };
  readonly remove: () => void;
};

export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  const openssl = (...args: string[]): void =>
    void execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=an authority");
  openssl("req", ...key, "-keyout", "key", "-out", "request", "-subj", "/CN=a service");
  let issued = 0;
  return {
    file: join(folder, "ca.crt"),
    issue: (host = "IP:127.0.0.1", days = 2) => {
      const name = `certificate-${issued++}`;
      writeFileSync(join(folder, "names"), `subjectAltName=${host}`);
      const authority = ["-CA", "ca.crt", "-CAkey", "ca.key", "-extfile", "names"];
      openssl("x509", "-req", "-in", "request", ...authority, "-days", String(days), "-out", name);
      const files = ["key", name].map((file) => join(folder, file));
      const [keyText, cert] = files.map((file) => readFileSync(file, "utf8"));
      return { key: keyText, cert, files };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
