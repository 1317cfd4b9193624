import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import { leftToExperiment, settingsOfContents } from '../../postgres/own-settings.ts';

type Parameters = Readonly<Record<string, ParameterValue>>;

/**
 * Why a parameter cannot be one of a server: clients say these for themselves when they connect. So ours can never see what the
 * server has for others.
 */
const saidByClients: Readonly<Record<string, (value: string) => string | null>> = {
  application_name: () => 'the load generator names itself when it connects; leave it out',
  client_encoding: (value) =>
    /^(utf-?8|unicode)$/i.test(value)
      ? null
      : `clients say it when they connect, so that nothing could prove it; leave it out, and begin the scripts with SET client_encoding TO ${value}`,
};

/** Problems of the parameters of one variant. */
export function parameterProblems({ engine }: Partial<Variant>): RuleProblem[] {
  return Object.entries(engine?.parameters ?? {}).flatMap(([name, value]) => {
    const message = saidByClients[name]?.(String(value)) ?? null;
    return message === null ? [] : [{ path: ['engine', 'parameters', name], message }];
  });
}

/** Warnings of parameters that change what loading puts into tables: all variants must hold the same. */
export function loadingWarnings(variants: Readonly<Record<string, Partial<Variant>>>): string[] {
  const parameters = Object.entries(variants).map(([name, { engine }]): [string, Parameters] => [
    name,
    engine?.parameters ?? {},
  ]);
  return [
    ...Object.entries(settingsOfContents).flatMap(([name, ours]) => {
      const others = parameters.flatMap(([variant, { [name]: value }]) =>
        value === undefined || isSame(value, ours) ? [] : [`${variant}: ${String(value)}`],
      );
      return others.length === 0
        ? []
        : [
            `While data is loaded, ${name} is '${ours}' on every server, so that all of them hold the same. Only trials have the parameter (${others.join(', ')}).`,
          ];
    }),
    ...leftToExperiment
      .filter((name) => new Set(parameters.map(([, { [name]: value }]) => value)).size > 1)
      .map(
        (name) =>
          `The variants differ in ${name}, also while data is loaded: what they hold may differ by it. Let the files of workload.load set it.`,
      ),
  ];
}

function isSame(value: ParameterValue, ours: string): boolean {
  const words = value === true ? 'on' : value === false ? 'off' : String(value);
  return words.toLowerCase() === ours.toLowerCase();
}
