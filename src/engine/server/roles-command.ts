/** `npm start`: the command line of the roles. It reads the configuration, starts the roles and says where they listen. */
import { readConfig, roleNames } from "../runtime/settings/config.ts";
import { variables } from "../runtime/settings/environment.ts";
import { type Io, runCommand } from "../shared/cli/command.ts";
import {
  assertFresh,
  assertStartable,
  findMisspelledVariables,
  findSmallYoungGeneration,
  findSuspectSettings,
  findUnnamedRoles,
} from "./check-config.ts";
import { checkMachine } from "./check-machine.ts";
import { stopOnSignals } from "./graceful-shutdown.ts";
import { printConfig } from "./print-config.ts";
import { createProcessLogger, startupMessage } from "./process-logger.ts";
import { start } from "./program.ts";
import type { Service } from "./service.ts";
import { handleUnhandledRejections } from "./unhandled-rejections.ts";
import { watchUpstreams } from "./watch-upstreams.ts";

type Options = { readonly brief?: boolean; readonly checkConfig?: boolean };

/** Returns 0 once the roles run; they run on until a signal stops them. Any other exit code: none of them runs. */
export function run(argv: readonly string[], given: Io, service: Service): Promise<number> {
  const forPeople = createProcessLogger(service.name, given, false);
  // whoever misspells `production` has a collector that reads JSON alone
  const isForPeople = /^(?:development|test)?$/.test(given.env.NODE_ENV ?? "");
  let say = isForPeople ? forPeople : createProcessLogger(service.name, given, true);
  const io = { ...given, out: forPeople.info, error: (line: string) => say.fatal(line) };
  return runCommand("npm start", argv, io, (line, does) =>
    line
      .description("Runs the roles until a signal stops them: all in one process, or the named ones.")
      .argument("[role...]", `${roleNames.join(", ")}; without one, all of them`)
      .option("--check-config", "prints the configuration in force, without secrets, and starts nothing")
      .option("--brief", "prints one line when the roles listen: no demo keys, no example")
      .addHelpText("after", environmentHelp())
      .action(
        does(async (roles: readonly string[], { brief, checkConfig }: Options) => {
          if (checkConfig) say = forPeople;
          const config = readConfig(io.env, roles, service.platform !== undefined);
          const { operations, specHash } = await service.api();
          assertStartable(config, operations);
          assertFresh(service.root, specHash);
          const doubts = [
            ...findSmallYoungGeneration(
              process.constrainedMemory(),
              `${process.execArgv} ${io.env.NODE_OPTIONS}`,
            ),
            ...findUnnamedRoles(io.env, roles),
            ...findMisspelledVariables(io.env),
            ...findSuspectSettings(config, operations),
          ];
          if (checkConfig) {
            for (const doubt of [...doubts, ...(await checkMachine(config))]) say.warn(doubt);
            io.out(printConfig(config, io.env));
            return 0;
          }
          const running = await start(config, service);
          for (const doubt of doubts) say.warn(doubt); // a start that fails tells its reason alone
          const { url, metrics, servers } = running;
          const [front] = servers;
          if (front) handleUnhandledRejections(front.log);
          stopOnSignals(running, config);
          await watchUpstreams(front, config, operations, say);
          const isBrief = brief === true || config.production;
          const text = await startupMessage(config, service, running, front?.unready ?? [], isBrief);
          say.info(text, { url: url.origin, metrics: metrics?.origin });
          return 0;
        }),
      ),
  );
}

const mostUsed = [
  ...["PORT", "HOST", "METRICS_PORT", "NODE_ENV", "LOG_LEVEL", "CORS_ORIGINS", "DATA_FILE"],
  ...["REST_BASE_URL", "GRAPHQL_URL", "KEY_INTROSPECTION_URL", "GATEWAY_SECRET"],
] as readonly (keyof typeof variables)[];

const environmentHelp = (): string =>
  [
    "",
    "The most used environment variables (docs/reference.md of the package lists all of them):",
    ...mostUsed.map((name) => `  ${name.padEnd(22)} ${(variables[name].desc ?? "").replaceAll("`", "")}`),
  ].join("\n");
