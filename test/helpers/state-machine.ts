import jsonata from 'jsonata';

/** A definition of Step Functions with JSONata, as far as pgduet uses it. */
export interface StateMachine {
  StartAt: string;
  States: Record<string, State>;
}

export interface State {
  Type: 'Task' | 'Choice' | 'Map' | 'Pass' | 'Succeed';
  Next?: string;
  Default?: string;
  Choices?: { Condition: string; Next: string; Output?: unknown }[];
  Resource?: string;
  Arguments?: unknown;
  Output?: unknown;
  Retry?: { ErrorEquals: string[]; MaxAttempts: number }[];
  Catch?: { ErrorEquals: string[]; Next: string; Output?: unknown }[];
  TimeoutSeconds?: number;
  Items?: unknown;
  ItemProcessor?: StateMachine;
}

/** An AWS service: an action such as `s3:getObject`, with its arguments. What it throws is the error of the state. */
export type CallService = (action: string, parameters: Record<string, never>) => unknown;

/**
 * Executes a state machine at one moment.
 *
 * @returns the names of the states that it went through
 * @throws what Step Functions fails with: an error that no state catches, or an expression without a value
 */
export async function executeMachine(machine: StateMachine, call: CallService, at: Date): Promise<string[]> {
  const path: string[] = [];
  await execute(machine, {}, { call, at, path });
  return path;
}

interface Execution {
  call: CallService;
  at: Date;
  path: string[];
}

async function execute(machine: StateMachine, first: unknown, execution: Execution): Promise<unknown> {
  let name = machine.StartAt;
  let input = first;
  for (;;) {
    const state = machine.States[name];
    if (!state) throw new Error(`There is no state ${name}.`);
    execution.path.push(name);
    const { next, output } = await step(state, input, execution);
    if (next === undefined) return output;
    [name, input] = [next, output];
  }
}

async function step(state: State, input: unknown, execution: Execution): Promise<{ next?: string; output: unknown }> {
  const context = { State: { EnteredTime: execution.at.toISOString() } };
  const valueOf = (value: unknown, more: object = {}) => evaluate(value, { input, context, ...more });
  const outputOf = async (output: unknown, otherwise: unknown, more: object = {}) =>
    output === undefined ? otherwise : await valueOf(output, more);
  const after = (output: unknown) => ({ ...(state.Next !== undefined && { next: state.Next }), output });
  if (state.Type === 'Succeed') return { output: input };
  if (state.Type === 'Pass') return after(await outputOf(state.Output, input));
  if (state.Type === 'Choice') {
    for (const { Condition, Next, Output } of state.Choices ?? []) {
      const holds = await valueOf(Condition);
      if (typeof holds !== 'boolean') throw new Error(`Not a condition: ${Condition}`);
      if (holds) return { next: Next, output: await outputOf(Output, input) };
    }
    return { next: state.Default ?? '', output: input };
  }
  try {
    const result = await retried(state.Retry?.[0]?.MaxAttempts ?? 0, () =>
      state.Type === 'Map' ? eachItem(state, valueOf, execution) : task(state, valueOf, execution),
    );
    return after(await outputOf(state.Output, result, { result }));
  } catch (error) {
    const [caught] = state.Catch ?? [];
    if (!caught) throw error;
    const errorOutput = { Error: 'States.TaskFailed', Cause: String(error) };
    return { next: caught.Next, output: await outputOf(caught.Output, errorOutput, { errorOutput }) };
  }
}

async function retried(attempts: number, act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    if (attempts === 0) throw error;
    return retried(attempts - 1, act);
  }
}

async function task(
  state: State,
  valueOf: (value: unknown) => Promise<unknown>,
  { call }: Execution,
): Promise<unknown> {
  const [, service = '', action = ''] = /:aws-sdk:([a-z0-9]+):(\w+)$/.exec(state.Resource ?? '') ?? [];
  return call(`${service}:${action}`, (await valueOf(state.Arguments)) as Record<string, never>);
}

async function eachItem(
  { Items, ItemProcessor }: State,

  valueOf: (value: unknown) => Promise<unknown>,
  execution: Execution,
): Promise<unknown> {
  if (!ItemProcessor) throw new Error('A Map without a processor');
  const outputs: unknown[] = [];
  for (const item of (await valueOf(Items)) as unknown[]) outputs.push(await execute(ItemProcessor, item, execution));
  return outputs;
}

const known = new Map<string, ReturnType<typeof jsonata>>();

/** An expression, which is read only once: a machine is executed hundreds of times. */
function parsed(expression: string): ReturnType<typeof jsonata> {
  const found = known.get(expression) ?? jsonata(expression);
  known.set(expression, found);
  return found;
}

async function evaluate(value: unknown, states: object): Promise<unknown> {
  if (typeof value === 'string') {
    const [, expression] = /^\{%(.*)%\}$/s.exec(value) ?? [];
    if (expression === undefined) return value;
    const found: unknown = await parsed(expression).evaluate({}, { states });
    // Step Functions fails with States.QueryEvaluationError.
    if (found === undefined) throw new Error(`The expression has no value: ${expression}`);
    return JSON.parse(JSON.stringify(found)) as unknown;
  }
  if (Array.isArray(value)) return Promise.all(value.map((one) => evaluate(one, states)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(async ([name, one]) => [name, await evaluate(one, states)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
