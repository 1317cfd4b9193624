/**
 * An error that the user can put right. Its message says what failed, the wrong value, and what to change. The command line
 * prints the message alone and exits with 2; any other error is a bug of ours and shows its stack.
 */
export class UserError extends Error {
  override name = 'UserError';
}
