/**
 * An error that the user can put right. Its message says what failed, the wrong value, and what to change. The command line
 * prints the message alone and exits with 2; any other error is a bug of ours and shows its stack.
 */
export class UserError extends Error {
  override name = 'UserError';
  /** Whether it is trouble outside that may pass: then the command line exits with 3, and another start may succeed. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, ...options }: ErrorOptions & { passing?: boolean } = {}) {
    super(message, options);
    this.passing = passing;
  }
}
