import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import type { RuleProblem } from '../../contract/check.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import type { NamedVariant } from './variant-rules.ts';
import { leftToExperiment, settingsOfContents } from '../../postgres/own-settings.ts';
import { parameterProblem, parseBoolean, parseNumber, textOf } from '../../postgres/parameters/judge.ts';
import { isSameValue } from '../../postgres/parameters/same-value.ts';
import { majorOf } from '../../postgres/versions/known.ts';

type Parameters = Readonly<Record<string, ParameterValue>>;

/**
 * Why a parameter cannot be set on a server: clients set it themselves when they connect. So our connections can never
 * see the value that the server has for others.
 */
const setByClients: Readonly<Record<string, (value: string) => string | null>> = {
  application_name: () => 'the load generator sets its own when it connects; remove it',
  client_encoding: (value) =>
    /^(utf-?8|unicode)$/i.test(value)
      ? null
      : `clients set it when they connect, so pgduet could not prove it; omit it, and begin the scripts with SET client_encoding TO ${value}`,
};

/** No server takes it from a settings file. A local run hands it to initdb, and RDS has it in its own list. */
const setAtCreation = ['wal_segment_size'];

/**
 * Problems of the parameters of one variant: what clients set, what no server of its version would take, and what servers
 * at its place would not take.
 *
 * @param place undefined if the variant does not say it
 */
export function parameterProblems({ engine }: Partial<Variant>, place: PlaceDefinition | undefined): RuleProblem[] {
  return Object.entries(engine?.parameters ?? {}).flatMap(([name, value]) => {
    const isFormula = (!place || place.hasFormulas === true) && String(value).includes('{');
    const problem =
      says(Object.hasOwn(setByClients, name) ? setByClients[name]?.(String(value)) : null) ??
      (setAtCreation.includes(name)
        ? null
        : parameterProblem(name, isFormula ? null : value, majorOf(engine?.version))) ??
      says(place?.parameterProblem?.(name, value, engine?.version));
    return problem ? [{ rule: 'parameter', path: ['engine', 'parameters', name], ...problem }] : [];
  });
}

/** Whether a server reads the value of a switch as on. */
export function isOn(value: string): boolean {
  return parseBoolean(value) === true;
}

/** The first two of several values of a parameter that are one value to a server; null if there are none. */
export function twinsIn(name: string, values: readonly string[]): [one: string, other: string] | null {
  for (const [index, other] of values.entries()) {
    const one = values.slice(0, index).find((before) => isSameValue(name, before, other));
    if (one !== undefined) return [one, other];
  }
  return null;
}

/** Seconds that a server reads in the value of a parameter that counts in seconds; null if it is no time. */
export function secondsIn(value: string): number | null {
  return parseNumber(value, { vartype: 'integer', unit: 's' });
}

function says(message: string | null | undefined): { message: string } | null {
  return message === null || message === undefined ? null : { message };
}

/** Warnings about parameters that change what loading puts into tables: all variants must hold the same data. */
export function loadingWarnings(variants: readonly NamedVariant[]): string[] {
  const parameters = variants.map(([name, { engine }]): [string, Parameters] => [name, engine?.parameters ?? {}]);
  return [
    ...Object.entries(settingsOfContents).flatMap(([name, ours]) => {
      const others = parameters.flatMap(([variant, { [name]: value }]) =>
        value === undefined || isSame(value, ours) ? [] : [`${variant}: ${String(value)}`],
      );
      return others.length === 0
        ? []
        : [
            `While data is loaded, ${name} is '${ours}' on every server, so that all of them have the same data. Your value applies only to trials (${others.join(', ')}).`,
          ];
    }),
    ...leftToExperiment
      .filter((name) => new Set(parameters.map(([, { [name]: value }]) => value)).size > 1)
      .map(
        (name) =>
          `The variants differ in ${name}, also while data is loaded, so their data may differ. Set it in the files of workload.load.`,
      ),
  ];
}

/**
 * A warning about variants without fsync beside others with it, on one disk. A checkpoint does not wait for the disk
 * then. So the reset before a trial does not end what an earlier trial left to the operating system.
 */
export function unsyncedWarnings(variants: readonly NamedVariant[], place: PlaceDefinition | undefined): string[] {
  const without = variants.flatMap(([name, { engine }]) => {
    const { fsync } = engine?.parameters ?? {};
    return fsync !== undefined && parseBoolean(textOf(fsync)) === false ? [name] : [];
  });
  if (!place?.sharesMachine || without.length === 0 || without.length === variants.length) return [];
  return [
    `fsync is off only in ${without.join(', ')}. What a server without fsync leaves in memory, the operating system writes later: after the trial, or during a trial of another variant on the same disk. Both can make fsync = off look better than it is.`,
  ];
}

/** Parameters whose value is a command of the shell, which the server's user runs. */
const commands = [
  'archive_command',
  'archive_cleanup_command',
  'restore_command',
  'recovery_end_command',
  'ssl_passphrase_command',
];
/** Those that name libraries. One that is named with a path need not come with PostgreSQL. */
const libraries = [
  'shared_preload_libraries',
  'session_preload_libraries',
  'local_preload_libraries',
  'archive_library',
];

/** A warning for each parameter with a program that is not part of the run's inputs, whichever variants have it. */
export function programWarnings(variants: readonly NamedVariant[]): string[] {
  const declared = variants.flatMap(([, { engine }]) => Object.entries(engine?.parameters ?? {}));
  const programs = declared.flatMap(([name, value]) => {
    const text = textOf(value);
    if (commands.includes(name)) return text === '' ? [] : [`${name} runs a program on the server: ${text}`];
    return libraries.includes(name) && text.includes('/') ? [`${name} loads a library by its path: ${text}`] : [];
  });
  return [...new Set(programs)].map(
    (what) => `The parameter ${what}. It is not part of the run’s inputs, so a rerun may measure something different.`,
  );
}

function isSame(value: ParameterValue, ours: string): boolean {
  return textOf(value).toLowerCase() === ours.toLowerCase();
}
