/** What the harness has to know of a client; one file per client says it. */

/** Where a client runs: a home of its own, and the project it works on. All are real paths. */
export interface Place {
  readonly home: string;
  readonly project: string;
  /** Has the client's program by the name that people type. */
  readonly bin: string;
}

/** One run of a client without a screen. */
export interface Ask {
  readonly prompt: string;
  /** The client's own id of the session to continue. */
  readonly resume?: string;
  /** With `resume`: as a session of its own. */
  readonly fork?: boolean;
  /** Nothing is allowed beforehand: what a person would be asked about is refused, since nobody is there. */
  readonly unasked?: boolean;
  /** More arguments of the client's own. */
  readonly more?: readonly string[];
}

export interface Driver {
  /** Writes the client's settings: the fake API, the MCP server of the tests, no network, all calls allowed but `git push`. */
  setUp(place: Place, url: string): Promise<void>;
  /** Makes the client write every hook event as a line of the file, whatever else is installed. */
  record(place: Place, file: string): Promise<void>;
  /** What a run has to be told for that, beside. */
  readonly recording?: (place: Place) => readonly string[];
  readonly env: (place: Place, url: string) => Readonly<Record<string, string>>;
  readonly args: (ask: Ask, place: Place) => readonly string[];
  /** The client's id of the session, from what it printed. */
  readonly session: (stdout: string) => string | undefined;
  /** The transcript files of the session, where it has them. */
  readonly transcripts?: (place: Place, session: string) => Promise<readonly string[]>;
}

/** The objects of a text that has one in JSON on each of its lines, and other lines between. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.trimStart().startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
