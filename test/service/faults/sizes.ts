/** Rows in which a response or a document is as large as it can be. */
import { gzipSync } from "node:zlib";
import { answer, endless } from "./proxy.ts";
import { both, codeOf, isPartial, type Row } from "./row.ts";
import type { Answer } from "./world.ts";

export const tooLarge: Row = {
  fault: "20 bodies of 10 MiB and more at once",
  criterion: "aborted at the cap; RSS growth < 300 MiB",
  async run({ crm, ask, resetPeakRss, peakRss }) {
    crm.choose = () => endless(64 * 1_048_576);
    const before = resetPeakRss();
    const results = await Promise.all(Array.from({ length: 20 }, () => ask(both)));
    const growth = peakRss() - before;
    const good = results.every((result) =>
      /^(BAD_UPSTREAM_RESPONSE|UPSTREAM_UNAVAILABLE|LIMIT_EXCEEDED|SERVICE_UNAVAILABLE)$/.test(
        codeOf(result),
      ),
    );
    return {
      measured: `${codeOf(results[0] as Answer)}, RSS +${growth.toFixed(0)} MiB`,
      pass: good && growth < 300,
    };
  },
};

export const bomb: Row = {
  fault: "gzip bomb",
  criterion: "aborted at the cap; RSS growth < 50 MiB",
  async run({ crm, ask, resetPeakRss, peakRss }) {
    const packed = gzipSync(Buffer.alloc(200 * 1_048_576));
    crm.choose = () => answer(200, packed, { "content-encoding": "gzip" });
    const before = resetPeakRss();
    const result = await ask(both);
    const growth = peakRss() - before;
    // the request's budget may end first, because its other response counts too
    const isStopped = ["BAD_UPSTREAM_RESPONSE", "LIMIT_EXCEEDED"].some((code) => isPartial(result, code));
    return {
      measured: `${packed.length >> 10} KiB for 200 MiB: ${codeOf(result)}, RSS +${growth.toFixed(0)} MiB`,
      pass: isStopped && growth < 50,
    };
  },
};

export const costly: Row = {
  fault: "worst-case documents of up to 1 MiB",
  criterion: "refused within 100 ms of CPU",
  async run({ ask, cpuMs }, { patience }) {
    const names = Array.from({ length: 400 }, (_, index) => index);
    const circle = names.map(
      (i) => `fragment F${i} on IdentityProfile { ...F${(i + 1) % 400} ...F${(i + 7) % 400} }`,
    );
    const documents = {
      deep: "{ a ".repeat(250_000),
      wide: `{ me { ${"id ".repeat(330_000)} } }`,
      repeated: `{ ${"conversations { contact { conversations { id } } } ".repeat(450)} }`,
      circle: `{ me { ...F0 } } ${circle.join(" ")}`,
      name: `{ ${"a".repeat(1_000_000)} }`,
    };
    const spent: string[] = [];
    let slowest = 0;
    for (const [name, document] of Object.entries(documents)) {
      const times: number[] = [];
      for (let count = 0; count < 5; count++) {
        const before = cpuMs();
        const { status } = await ask(document + " ".repeat(count)); // a document that was refused before costs nothing
        times.push(status === 400 ? cpuMs() - before : Number.POSITIVE_INFINITY);
      }
      const median = times.sort((a, b) => a - b)[2] ?? 0;
      slowest = Math.max(slowest, median);
      spent.push(`${name} ${median}`);
    }
    return { measured: `ms, median of 5: ${spent.join(", ")}`, pass: slowest <= 100 * patience };
  },
};
