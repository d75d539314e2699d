/**
 * Data files with the demo data, for platforms that tests open. Inserting the data takes longer than most of these tests, so a
 * process inserts it once and then copies the file.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedDemoData } from "../../src/platform/demo/demo.ts";
import { openStore } from "../../src/platform/store/store.ts";

let original: string | undefined;
process.on("exit", () => original !== undefined && rmSync(original, { force: true }));

function seededFile(): string {
  if (original !== undefined) return original;
  const file = join(mkdtempSync(join(tmpdir(), "demo-")), "platform.sqlite");
  const store = openStore(file);
  seedDemoData(store, new Date());
  store.close();
  original = file;
  return file;
}

/**
 * Opens a platform with the demo data in a file if its `environment` would have it insert the data into memory. The file
 * is unlinked once it is open, so it lasts as long as the platform.
 */
export async function withDemoFile<T>(
  environment: NodeJS.ProcessEnv,
  open: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const { DATA_FILE, NODE_ENV, API_ENVIRONMENT } = environment;
  if (DATA_FILE !== undefined || NODE_ENV === "production" || API_ENVIRONMENT === "live")
    return open(environment);
  const folder = mkdtempSync(join(tmpdir(), "demo-"));
  try {
    const file = join(folder, "platform.sqlite");
    cpSync(seededFile(), file);
    return await open({ ...environment, DATA_FILE: file });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
