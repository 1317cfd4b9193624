import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

/** What a call to the system was about. */
type Kind = 'file' | 'program' | 'process' | 'network';

/** An error of the system in words. None of them is an argument of a program, or from its environment. */
export interface SystemFailure {
  /** Such as EIO. */
  code: string;
  kind: Kind;
  /** What could not be done, such as `open /results/run.json`. */
  what: string;
  /** In words that follow a colon. */
  why: string;
  /** Whether the code would add nothing to these words. */
  plain: boolean;
  /** What to do, in whole sentences. */
  remedy: string;
  /** Whether it may pass by itself. */
  isTransient: boolean;
}

interface Meaning extends Pick<SystemFailure, 'why' | 'remedy'> {
  isTransient?: true;
  /** What the code is about: a disk, and so no connection; the network, and so no disk. @default neither */
  of?: 'disk' | 'network';
  /** Whether writing elsewhere helps, too. */
  movable?: true;
  /** Of a mistake in a path. */
  plain?: true;
}

const otherFolder = 'choose another folder (--out, TMPDIR)';
const examine = 'Check the disk, for example with `dmesg`';
const reach = 'Check that a route and the firewall let this machine reach it, then try again';
const listening = 'Check that the server is running, then try again';
const diskFailure = (why: string, remedy = examine): Meaning => ({ why, remedy, of: 'disk', movable });
const pathFailure = (why: string, remedy = 'Correct the path'): Meaning => ({ why, remedy, of: 'disk', plain: true });
const networkFailure = (why: string, remedy = reach): Meaning => ({ why, remedy, of: 'network', isTransient: true });
const [isTransient, movable] = [true, true] as const;

/** What each code means, if the remedy is not the same as for any other (`otherwise`). */
const meanings: Readonly<Record<string, Meaning>> = {
  EACCES: { why: 'this user has no permission', remedy: 'Change its permissions', movable },
  EAGAIN: { why: 'the system is out of the resources that it needs', remedy: 'Try again later', isTransient },
  EBUSY: diskFailure('something else uses it', 'Stop that'),
  EDQUOT: diskFailure('this user’s quota of the disk is used up', 'Free up space there'),
  EEXIST: diskFailure('something else has this name', 'Remove it'),
  EFBIG: diskFailure('this user or this disk may not have such a large file', 'Raise the limit with `ulimit -f`'),
  EILSEQ: diskFailure('this disk allows no such name', 'Rename it'),
  EINTR: { why: 'a signal interrupted it', remedy: 'Try again', isTransient },
  EIO: diskFailure('the disk failed'),
  EISDIR: pathFailure('it is a folder', 'Name a file'),
  ELOOP: pathFailure('its path has too many symbolic links', 'Correct the path'),
  EMFILE: { why: 'this process has too many files open', remedy: 'Raise the limit with `ulimit -n`' },
  EMLINK: diskFailure('it has too many links or folders', 'Remove some'),
  ENAMETOOLONG: diskFailure('its name or path is too long', 'Shorten it'),
  ENFILE: { why: 'this machine has too many files open', remedy: 'Stop other programs, then try again', isTransient },
  ENODEV: diskFailure('its device is gone'),
  ENOENT: pathFailure('it does not exist', 'Correct the path, or find out what removed it'),
  ENOMEM: { why: 'this machine has no memory left', remedy: 'Stop other programs, then try again', isTransient },
  ENOSPC: diskFailure('the disk is full', 'Free up space there'),
  ENOTDIR: pathFailure('its path contains a component that is not a folder', 'Correct the path'),
  ENOTEMPTY: pathFailure('the folder is not empty', 'Remove what is in it, then try again'),
  ENXIO: diskFailure('its device is gone'),
  EPERM: { why: 'the system forbids it to this user', remedy: 'Change its permissions', movable },
  EROFS: diskFailure('the disk is read-only'),
  ESTALE: diskFailure('its network file system has lost it', 'Mount that again'),
  ETXTBSY: pathFailure('another program is running it, or writing to it', 'Wait until that ends, then try again'),
  EUCLEAN: diskFailure('the file system is damaged', 'Repair it with `fsck`'),
  EXDEV: pathFailure('the two are on different disks', 'Choose folders on the same disk'),

  EADDRINUSE: networkFailure('another program uses this port', 'Stop that program, then try again'),
  EADDRNOTAVAIL: networkFailure(
    'this machine has no such address, or no free port',
    'Close connections, then try again',
  ),
  EAI_AGAIN: networkFailure(
    'the name service does not answer',
    'Check the network and the name service, then try again',
  ),
  ECONNABORTED: networkFailure('the connection was cut'),
  ECONNREFUSED: networkFailure('nothing accepts connections there', listening),
  ECONNRESET: networkFailure('the other side cut the connection', listening),
  EHOSTDOWN: networkFailure('that machine is down'),
  EHOSTUNREACH: networkFailure('no route leads to that machine'),
  ENETDOWN: networkFailure('the network is down'),
  ENETRESET: networkFailure('the network cut the connection'),
  ENETUNREACH: networkFailure('no route leads to that network'),
  ENOBUFS: networkFailure('the network has no buffer left', 'Close connections, then try again'),
  ENOTFOUND: networkFailure('the name service has no such name', 'Check the name and the name service, then try again'),
  EPIPE: networkFailure('the other side has closed the connection', listening),
  ETIMEDOUT: networkFailure('there was no answer in time'),
};

const guarded: Meaning = { why: 'the system forbids it', remedy: 'Check the firewall and the rules for this user' };

/** Codes that mean something else for one kind of work, or for one call. */
const elsewhere: Readonly<Record<string, Meaning>> = {
  'network EACCES': guarded,
  'network EPERM': guarded,
  'process EPERM': { why: 'it belongs to another user', remedy: 'Stop it as that user, or as root' },
  'process ESRCH': { why: 'it has ended', remedy: 'Try again' },
  'program E2BIG': {
    why: 'its arguments and its environment are too long',
    remedy: 'Unset large environment variables',
  },
  'program EACCES': {
    why: 'this user may not run it',
    remedy: 'Make it, and the folders above it, accessible to this user',
  },
  'program EAGAIN': {
    why: 'this user may not start more processes',
    remedy: 'Stop other programs, or raise the limit with `ulimit -u`',
    isTransient,
  },
  'program ENOENT': {
    why: 'it was not found, or its working folder is gone',
    remedy: 'Install it, or add its folder to PATH',
  },
  'program ENOEXEC': { why: 'this machine cannot run such a program', remedy: 'Install the one for this machine' },
  'program EPERM': { why: 'the system forbids it to this user', remedy: 'Run it as another user' },
  'uv_cwd ENOENT': { why: 'it was removed', remedy: 'Change to another folder' },
  'watch ENOSPC': { why: 'this user watches too many files', remedy: 'Raise fs.inotify.max_user_watches' },
};

/** What to do about any other code. */
const otherwise: Readonly<Record<Kind, string>> = {
  file: examine,
  program: 'Run it yourself to see whether it works on this machine',
  process: 'Look for it with `ps`, then try again',
  network: reach,
};

/** What pgduet was doing, by Node's name of the call, if that is no verb. */
const verbs: Readonly<Record<string, string>> = {
  ...{ accept: 'accept connections at', access: 'look at', bind: 'listen at', chmod: 'change', chown: 'change' },
  ...{ connect: 'connect to', copyfile: 'copy', cp: 'copy', fchmod: 'change', fchown: 'change', fdatasync: 'write' },
  ...{ fstat: 'look at', fsync: 'write', ftruncate: 'write', getaddrinfo: 'find the address of', lchown: 'change' },
  ...{ kill: 'send a signal to', listen: 'listen at', lstat: 'look at', mkdir: 'make', mkdtemp: 'make' },
  ...{ opendir: 'list', readlink: 'read', realpath: 'follow', rm: 'remove', rmdir: 'remove', scandir: 'list' },
  ...{ stat: 'look at', statfs: 'look at', symlink: 'link', unlink: 'remove', utime: 'change', uv_cwd: 'find' },
  ...{ close: 'close', link: 'link', open: 'open', read: 'read', rename: 'rename', spawn: 'start', watch: 'watch' },
  ...{ write: 'write' },
};
const onConnection: Readonly<Record<string, string>> = { read: 'read from', write: 'write to' };
const socketCalls = new Set(['accept', 'bind', 'connect', 'getaddrinfo', 'listen', 'shutdown']);

/** What stands for what the system does not name. */
const unnamed: Readonly<Record<Kind, string>> = {
  file: 'a file',
  program: 'a program',
  process: 'a process',
  network: 'a connection',
};
const maxNameLength = 300;

/** Node has no names for some codes, such as ESTALE. */
const names = new Map(
  Object.entries({ ...constants.errno, EUCLEAN: 117 }).map(([name, number]): [number, string] => [-number, name]),
);

type SystemError = NodeJS.ErrnoException & Partial<Record<'dest' | 'address' | 'hostname', string> & { port: number }>;

const reading = new Set(['access', 'fstat', 'lstat', 'opendir', 'read', 'readlink', 'realpath', 'scandir', 'stat']);

/**
 * An error of the system in words; null for any other error.
 *
 * @param reads whether something was read, which another folder does not have
 */
export function describeFailure(error: unknown, reads?: boolean): SystemFailure | null {
  // Where a name has several addresses, there is an error for each.
  if (error instanceof AggregateError) return describeFailure(error.errors[0], reads);
  const code = error instanceof Error ? codeOf(error) : null;
  if (code === null) return null;
  const system = error as SystemError;
  const kind = kindOfFailed(system, code);
  const found = elsewhere[`${kind} ${code}`] ?? elsewhere[`${system.syscall ?? ''} ${code}`] ?? meanings[code];
  const isApt = found && (found.of !== 'disk' || kind === 'file' || kind === 'program');
  const meaning: Meaning = isApt ? found : { why: systemWords(system), remedy: otherwise[kind], movable };
  const { why, remedy, isTransient = false, plain = false, movable: mayMove = false } = meaning;
  const move = kind === 'file' && mayMove && !(reads ?? reading.has(system.syscall ?? '')) ? `, or ${otherFolder}` : '';
  return { code, kind, what: whatOf(system, kind), why, plain, remedy: `${remedy}${move}.`, isTransient };
}

/** Whether a code is about the network, whatever the call. */
export function isOfNetwork(code: string): boolean {
  return meanings[code]?.of === 'network';
}

/** null if it is not the system's error, such as that of a server. */
function codeOf({ code, errno = 0, syscall }: SystemError): string | null {
  if (code !== undefined && (Object.hasOwn(meanings, code) || Object.hasOwn(constants.errno, code))) return code;
  // Of rm, Node gives a positive number.
  return syscall === undefined ? null : (names.get(-Math.abs(errno)) ?? code ?? `error ${-errno}`);
}

function kindOfFailed({ syscall = '', path, address, hostname }: SystemError, code: string): Kind {
  if (syscall === 'kill') return 'process';
  if (syscall.startsWith('spawn')) return 'program';
  if (socketCalls.has(syscall) || (address ?? hostname) !== undefined) return 'network';
  // A call on an open file or connection names neither.
  return path === undefined && isOfNetwork(code) ? 'network' : 'file';
}

function whatOf({ syscall = '', path, dest, address, port, hostname }: SystemError, kind: Kind): string {
  const [call = '', program] = syscall.split(' ');
  const place = address !== undefined && port !== undefined && port >= 0 ? `${address}:${port}` : address;
  const name = path ?? place ?? hostname ?? program ?? (call === 'uv_cwd' ? 'the working folder' : unnamed[kind]);
  const verb =
    (kind === 'network' ? onConnection[call] : undefined) ?? verbs[call] ?? (call === '' ? 'use' : `do ${call} with`);
  return `${verb} ${shorten(name)}${dest === undefined ? '' : ` to ${shorten(dest)}`}`;
}

function shorten(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}...` : name;
}

function systemWords({ errno = 0 }: SystemError): string {
  return getSystemErrorMap().get(errno)?.[1] ?? 'the system gives no reason';
}
