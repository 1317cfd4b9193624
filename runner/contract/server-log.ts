/** Begins to follow a server's log, wherever it is kept. */
export type ReadServerLog = () => Promise<FollowedLog>;

export interface FollowedLog {
  /**
   * The lines that were written since, and some that were written shortly before, in their order.
   *
   * @param isWanted all others are left out, so that a log may be long
   * @throws {UserError} if the log cannot be read
   */
  lines(isWanted: (line: string) => boolean): Promise<string[]>;
  /** How many bytes were written since. */
  bytes(): Promise<number>;
}
