import type { Random } from './random.ts';

/** Damages a file in one way; `other` is another recorded file. */
export type Mutation = (file: Buffer, random: Random, other: Buffer) => Buffer;

const numbers = [
  ...['', '-1', '-0', '0', '00', '1e9', '1e400', 'NaN', 'nan', 'inf', '-Infinity', '0x10', '1,5', '1.5.5', '.', '٣'],
  ...['2147483648', '9007199254740993', '18446744073709551616', '9'.repeat(400), `0.${'0'.repeat(400)}1`],
];
const insertions = [
  ...['\0', '\n', '\r', '\r\n', ' ', '\t', '\u001b[2J', '\u202e', '\ufeff', '\u2028', 'é', '漢', '😀', '\x7f', ' - '],
  ...[
    'transaction type: ',
    'tps = ',
    'progress: 1.0 s, ',
    'SQL script 1: ',
    'pgbench (18.6)\n',
    '__proto__',
    '"',
    '%s',
  ],
];

export const mutations: Record<string, Mutation> = {
  'a bit flipped': (file, random) => {
    const copy = Buffer.from(file);
    const at = random.below(copy.length);
    if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  },
  'a byte changed': (file, random) => spliced(file, random.below(file.length), 1, Buffer.from([random.below(256)])),
  'bytes inserted': (file, random) =>
    spliced(file, random.below(file.length + 1), 0, Buffer.from(random.oneOf(insertions))),
  'bytes removed': (file, random) => spliced(file, random.below(file.length), 1 + random.below(12), Buffer.alloc(0)),
  'bytes copied elsewhere': (file, random) => {
    const from = random.below(file.length);
    return spliced(file, random.below(file.length), 0, file.subarray(from, from + 1 + random.below(200)));
  },
  'its end cut off': (file, random) => file.subarray(0, random.below(file.length)),
  'its start cut off': (file, random) => file.subarray(random.below(file.length)),
  'zeros in place of a block': (file, random) => {
    const copy = Buffer.from(file);
    const from = random.below(copy.length);
    return copy.fill(0, from, Math.min(copy.length, from + 1 + random.below(512)));
  },
  'a line removed': (file, random) => inLines(file, (lines) => lines.splice(random.below(lines.length), 1)),
  'lines removed': (file, random) =>
    inLines(file, (lines) => lines.splice(random.below(lines.length), 1 + random.below(6))),
  'a line repeated': (file, random) =>
    inLines(file, (lines) => {
      const from = random.below(lines.length);
      lines.splice(random.below(2) ? from : random.below(lines.length), 0, lines[from] ?? '');
    }),
  'two lines exchanged': (file, random) =>
    inLines(file, (lines) => {
      const [a, b] = [random.below(lines.length), random.below(lines.length)];
      [lines[a], lines[b]] = [lines[b] ?? '', lines[a] ?? ''];
    }),
  'a line joined with the next': (file, random) =>
    inLines(file, (lines) => {
      const at = random.below(lines.length);
      lines.splice(at, 2, (lines[at] ?? '') + (lines[at + 1] ?? ''));
    }),
  'a line of another file': (file, random, other) =>
    inLines(file, (lines) =>
      lines.splice(random.below(lines.length), random.below(2), random.oneOf(other.toString('latin1').split('\n'))),
    ),
  'a line of great length': (file, random) =>
    inLines(file, (lines) => {
      const at = random.below(lines.length);
      const padding = random.oneOf(['1', ' ', 'x', ' 1', '9, ', '(', '\r', 'progress: ']).repeat(2 ** random.below(17));
      lines[at] = random.below(2) ? padding + (lines[at] ?? '') : (lines[at] ?? '') + padding;
    }),
  'a number replaced': (file, random) => {
    const text = file.toString('latin1');
    const found = [...text.matchAll(/-?\d+(\.\d+)?/g)];
    if (found.length === 0) return file;
    const match = random.oneOf(found);
    return spliced(file, match.index, match[0].length, Buffer.from(random.oneOf(numbers)));
  },
  'a digit changed': (file, random) => {
    const found = [...file.toString('latin1').matchAll(/\d/g)];
    if (found.length === 0) return file;
    return spliced(file, random.oneOf(found).index, 1, Buffer.from(String(random.below(10))));
  },
  'a number of elsewhere': (file, random) => {
    const found = [...file.toString('latin1').matchAll(/\d+(\.\d+)?/g)];
    if (found.length === 0) return file;
    const match = random.oneOf(found);
    return spliced(file, match.index, match[0].length, Buffer.from(random.oneOf(found)[0]));
  },
  'a figure of fewer decimals': (file, random) => {
    const found = [...file.toString('latin1').matchAll(/\.\d+/g)];
    if (found.length === 0) return file;
    const match = random.oneOf(found);
    const kept = random.below(match[0].length);
    return spliced(file, match.index + kept, match[0].length - kept, Buffer.alloc(0));
  },
  'all figures of fewer decimals': (file, random) => {
    const decimals = random.below(3);
    const rounded = file
      .toString('latin1')
      .replace(/\d+\.\d+/g, (figure) => (random.below(9) ? Number(figure).toFixed(decimals) : figure));
    return Buffer.from(rounded, 'latin1');
  },
  'fields exchanged': (file, random) =>
    inLines(file, (lines) => {
      const at = random.below(lines.length);
      const fields = (lines[at] ?? '').split(' ');
      const [a, b] = [random.below(fields.length), random.below(fields.length)];
      [fields[a], fields[b]] = [fields[b] ?? '', fields[a] ?? ''];
      lines[at] = fields.join(' ');
    }),
  'another file after it': (file, _, other) => Buffer.concat([file, other]),
  'another file in its middle': (file, random, other) => spliced(file, random.below(file.length), 0, other),
  'the file twice': (file) => Buffer.concat([file, file]),
  'the file many times': (file, random) =>
    file.length > 2000 ? file : Buffer.concat(Array.from({ length: 2 + random.below(60) }, () => file)),
  'UTF-16': (file) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(file.toString('utf8'), 'utf16le')]),
  'a byte order mark': (file) => Buffer.concat([Buffer.from('\ufeff'), file]),
  'line ends of Windows': (file) => Buffer.from(file.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  'line ends of old Macs': (file) => Buffer.from(file.toString('latin1').replaceAll('\n', '\r'), 'latin1'),
  noise: (_, random) => Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
  nothing: () => Buffer.alloc(0),
};

function spliced(file: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, at), inserted, file.subarray(at + removed)]);
}

/** Lines with the empty one that stands behind the last line end, so that this end can get lost too. */
function inLines(file: Buffer, change: (lines: string[]) => void): Buffer {
  const lines = file.toString('latin1').split('\n');
  change(lines);
  return Buffer.from(lines.join('\n'), 'latin1');
}
