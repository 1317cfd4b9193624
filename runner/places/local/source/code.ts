import type { CodeOrigin } from '../../../contract/built.ts';

/** Source code in one state: a commit, or a folder as it is now. */
export interface SourceCode {
  /** What a result says of it. */
  origin: CodeOrigin;
  /** The same for the same code. */
  identity: string;
  /** Text of one of its files; null if it has no such file. */
  textOf(file: string): Promise<string | null>;
  /**
   * Writes all of its files into a new tar archive.
   *
   * @throws {UserError} if they are no longer in this state
   */
  archive(file: string): Promise<void>;
}

/** What looking for code, and building it, needs. */
export interface Finding {
  /** Key of the experiment that names the code, such as `variants.base.engine.source`. */
  key: string;
  /** What relative paths start from. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  say: (line: string) => void;
  /** Ends it, with its reason. */
  signal: AbortSignal;
}
