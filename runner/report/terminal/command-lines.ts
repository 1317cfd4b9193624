import { hanging } from '../media/wrap.ts';

/** With less width than this beside the commands, their words stand below them. */
const minColumns = 34;

/** Commands with what each does, in two columns, or below each other on a narrow terminal. */
export function commandLines(
  commands: readonly (readonly [command: string, does: string])[],
  columns: number,
): string[] {
  const width = Math.max(...commands.map(([command]) => command.length));
  const isNarrow = columns < width + minColumns;
  return commands.flatMap(([command, does]) =>
    isNarrow
      ? [...hanging('  ', command, columns), ...hanging('      ', does, columns)]
      : hanging(`  ${command.padEnd(width)}  `, does, columns),
  );
}
