/** The finding for a source that cannot be read. */
import type { Binder } from "../binder.ts";
import type { Where } from "../findings.ts";

export function invalidSource(binder: Binder, where: Where, message: string): undefined {
  binder.findings.add(
    "source-invalid",
    where,
    `${where.coordinate}: ${message}`,
    'write "args.<argument>", "parent.<property>", "<type above>.<property>" or "argsAbove.<argument>", dots go deeper',
  );
}
