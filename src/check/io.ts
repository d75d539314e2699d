/** What a command of this folder is handed: its folder, its outputs and the day. */
export type Io = {
  /** The project's folder. */
  readonly root: string;
  readonly out: (text: string) => void;
  readonly error: (line: string) => void;
  /** Whether the output shows colours. */
  readonly colour?: boolean;
  /** `YYYY-MM-DD`; the day of the clock (UTC) if it is left out. */
  readonly today?: string;
};
