/** The command line is correct, but the command refuses its values: a user that does not exist, a date in the past. */
import { ExpectedFailure, type Failure, withoutPlace } from "./failure.ts";

/** The command prints the message and ends with exit code 1. */
export class Refused extends ExpectedFailure {
  readonly failure: Failure;

  constructor(message: string) {
    super(message);
    this.name = "Refused";
    this.failure = { exitCode: 1, faults: [withoutPlace(message)] };
  }
}
