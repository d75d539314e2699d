/** The command line is correct, but the command refuses its values: a user that does not exist, a date in the past. */
import { ExpectedFailure, withoutPlace } from "./command-failure.ts";

/** The command prints the message and ends with exit code 1. */
export class CommandRefusal extends ExpectedFailure {
  constructor(message: string) {
    super(message, { exitCode: 1, faults: [withoutPlace(message)] });
  }
}
