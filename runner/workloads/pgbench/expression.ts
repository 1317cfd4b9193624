import type { RuleProblem } from '../../contract/check.ts';

/** Text that is not what pgbench expects, at this offset. */
export class Refused extends Error {
  readonly at: number;
  readonly unknown: RuleProblem['unknown'];
  constructor(at: number, message: string, unknown?: RuleProblem['unknown']) {
    super(message);
    this.at = at;
    this.unknown = unknown;
  }
}

/** How many arguments a function takes. Source: PGBENCH_FUNCTIONS in src/bin/pgbench/exprparse.y of PostgreSQL 18. */
const functions: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...Object.fromEntries(['abs', 'debug', 'double', 'exp', 'int', 'ln', 'sqrt'].map((name) => [name, [1, 1]])),
  ...Object.fromEntries(['mod', 'pow', 'power', 'random'].map((name) => [name, [2, 2]])),
  ...Object.fromEntries(['random_exponential', 'random_gaussian', 'random_zipfian'].map((name) => [name, [3, 3]])),
  ...Object.fromEntries(['hash', 'hash_fnv1a', 'hash_murmur2'].map((name) => [name, [1, 2]])),
  greatest: [1, Infinity],
  least: [1, Infinity],
  permute: [2, 3],
  pi: [0, 0],
};

/** A word of a script in a message. */
export function shown(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}

interface Token {
  kind: 'number' | 'variable' | 'word' | 'sign' | 'end';
  text: string;
  at: number;
}

/** From the loosest to the tightest, with whether several may follow one another. Source: exprparse.y. */
const operators: readonly { signs: readonly string[]; isChained: boolean }[] = [
  { signs: ['or'], isChained: true },
  { signs: ['and'], isChained: true },
  { signs: ['<', '>', '=', '<=', '>=', '<>', '!='], isChained: false },
  { signs: ['|', '#', '&', '<<', '>>'], isChained: true },
  { signs: ['+', '-'], isChained: true },
  { signs: ['*', '/', '%'], isChained: true },
];
/** Where the comparisons are among them. */
const comparisons = 2;
const reserved = [
  'and',
  'or',
  'not',
  'is',
  'isnull',
  'notnull',
  'case',
  'when',
  'then',
  'else',
  'end',
  'null',
  'true',
  'false',
];

/** It is read by recursion, and no expression that people write comes near. */
const maxDepth = 300;

/** An expression of pgbench, read from an offset to the end of the text. */
export class Expression {
  readonly #tokens: Generator<Token>;
  readonly #command: string;
  /** The one that is read next. */
  #token: Token = { kind: 'end', text: '', at: 0 };
  #depth = 0;

  constructor(text: string, from: number, command: string) {
    this.#tokens = tokensOf(text, from);
    this.#command = command;
    this.#advance();
  }

  /** @throws {Refused} at the first thing that pgbench does not expect */
  read(): void {
    if (this.#isAtEnd()) throw this.#refuse(`\\${this.#command} needs an expression`);
    this.#level(0);
    if (!this.#isAtEnd()) throw this.#refuse();
  }

  #isAtEnd(): boolean {
    return this.#token.kind === 'end';
  }

  /** After the last one, the end stays. */
  #advance(): void {
    const next = this.#tokens.next();
    if (next.done !== true) this.#token = next.value;
  }

  #is(...texts: readonly string[]): boolean {
    const { kind, text } = this.#token;
    return (kind === 'sign' || kind === 'word') && texts.includes(text.toLowerCase());
  }

  #take(...texts: readonly string[]): boolean {
    const isThere = this.#is(...texts);
    if (isThere) this.#advance();
    return isThere;
  }

  #demand(text: string): void {
    if (!this.#take(text)) throw this.#refuse(`expected ${text} before ${this.#shown()}`);
  }

  #shown(): string {
    const { kind, text } = this.#token;
    return kind === 'end' ? 'the end of the line' : `"${shown(text)}"`;
  }

  #refuse(message = `\\${this.#command}: did not expect ${this.#shown()}`): Refused {
    return new Refused(this.#token.at, message);
  }

  #level(index: number): void {
    const level = operators[index];
    if (!level) {
      this.#operand();
      return;
    }
    this.#level(index + 1);
    while (this.#take(...level.signs)) {
      this.#level(index + 1);
      if (!level.isChained) return;
    }
  }

  #operand(): void {
    if ((this.#depth += 1) > maxDepth) {
      throw this.#refuse(
        `\\${this.#command} is nested more than ${maxDepth} deep; set a variable to a part of it first`,
      );
    }
    this.#readOperand();
    this.#depth -= 1;
  }

  #readOperand(): void {
    if (this.#take('-', '+', '~')) this.#operand();
    // It binds looser than comparisons, and tighter than AND.
    else if (this.#take('not')) this.#level(comparisons);
    else if (this.#take('(')) {
      this.#level(0);
      this.#demand(')');
    } else if (this.#take('case')) this.#cases();
    else if (!this.#take('null', 'true', 'false')) {
      const { kind, text } = this.#token;
      if (kind === 'word' && !reserved.includes(text.toLowerCase())) this.#call();
      else if (kind === 'number' || kind === 'variable') this.#advance();
      else throw this.#refuse();
    }
    while (this.#is('is', 'isnull', 'notnull')) {
      if (this.#take('isnull', 'notnull')) continue;
      this.#advance();
      this.#take('not');
      if (!this.#take('null', 'true', 'false')) throw this.#refuse();
    }
  }

  #cases(): void {
    if (!this.#is('when')) throw this.#refuse(`expected when before ${this.#shown()}`);
    while (this.#take('when')) {
      this.#level(0);
      this.#demand('then');
      this.#level(0);
    }
    if (this.#take('else')) this.#level(0);
    this.#demand('end');
  }

  #call(): void {
    const { text, at } = this.#token;
    this.#advance();
    const name = text.toLowerCase();
    const counts = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!this.#is('(')) {
      throw new Refused(
        at,
        `\\${this.#command}: did not expect "${shown(text)}"; for the value of a variable, write :${shown(text)}`,
      );
    }
    if (!counts) {
      throw new Refused(at, `pgbench has no function ${shown(text)}`, {
        word: shown(name),
        known: Object.keys(functions),
      });
    }
    this.#advance();
    let given = 0;
    if (!this.#is(')')) {
      do {
        this.#level(0);
        given += 1;
      } while (this.#take(','));
    }
    this.#demand(')');
    const [least, most] = counts;
    if (given >= least && given <= most) return;
    const wanted = least === most ? String(least) : most === Infinity ? `at least ${least}` : `${least} or ${most}`;
    throw new Refused(at, `${text} takes ${wanted} arguments; found ${given}`);
  }
}

/** Of the longest bigint. */
const mostDigits = 19;

const tokens =
  /\s+|(\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)|(:[\w\u0080-\uffff]+)|([a-z_]\w*)|(<=|>=|<>|!=|<<|>>|[-+*/%=<>|#&~(),])|(.)/;

/** One by one, since a command may have millions. */
function* tokensOf(text: string, from: number): Generator<Token, void> {
  const pattern = new RegExp(tokens, 'giy');
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [whole, number, variable, word, sign, other] = found;
    const at = found.index;
    if (other !== undefined) throw new Refused(at, `did not expect "${other}"`);
    if (number !== undefined) {
      if (/^\d+$/.test(number) && (number.replace(/^0+/, '').length > mostDigits || BigInt(number) > 2n ** 63n))
        throw new Refused(at, `${shown(number)} is more than a bigint holds`);
      yield { kind: 'number', text: whole, at };
    } else if (variable !== undefined) yield { kind: 'variable', text: whole, at };
    else if (word !== undefined) yield { kind: 'word', text: whole, at };
    else if (sign !== undefined) yield { kind: 'sign', text: whole, at };
  }
  yield { kind: 'end', text: '', at: text.length };
}
