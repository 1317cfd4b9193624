import type { Meaning } from './meaning.ts';
import { ownCommand } from './own-command.ts';

/**
 * Why a trial, a load, a run or a whole command failed, by ids for scripts: with each, what it means and what to do. The
 * message beside it has the values. Ids never change; words may. docs/reference/failures.md lists all.
 */
export const failureMeanings = {
  interrupted: {
    meaning: 'Ctrl-C, another signal, or another deploy ended the run.',
    remedy: 'Continue the run with --resume.',
  },
  'limit-reached': {
    meaning: 'The run reached `limits.hours` or `limits.dollars`.',
    remedy: 'Raise the limit, then continue the run with --resume.',
  },
  'measured-in-vain': {
    meaning: 'The run stopped because too many blocks in a row had no valid trial.',
    remedy: 'Fix what invalidates the trials, then rerun.',
  },
  'trials-missing': {
    meaning: 'The run ended, but trials of its plan failed.',
    remedy: 'Find out why they failed, then continue the run with --resume.',
  },
  'not-measured': {
    meaning: 'The databases are loaded, and nothing has been measured yet.',
    remedy: 'Start the run.',
  },
  'cut-off': {
    meaning: 'pgduet was killed or the machine stopped before the trial was saved, or the trial is still running.',
    remedy: 'Continue the run with --resume.',
  },
  damaged: {
    meaning: 'A file of a trial or a run is damaged, missing, or changed since the run.',
    remedy: 'Restore the file, or rerun.',
  },
  'server-ended': {
    meaning: 'The server’s process ended.',
    remedy: 'Look for the reason in the server’s log.',
  },
  'no-connection': {
    meaning: 'The server accepted no connection in time.',
    remedy:
      'Omit parameters that delay connections, such as pre_auth_delay, and check that the server is not overloaded.',
  },
  'no-answer': {
    meaning: 'The server, or a standby, did not answer or finish in time.',
    remedy: 'Check whether the server hangs, for example on its disk.',
  },
  'connection-lost': {
    meaning:
      'A connection to the server, or to a service, was rejected or broke, or the server was starting or shutting down.',
    remedy: 'Look for the reason in the server’s log, then rerun.',
  },
  'no-access': {
    meaning: 'The server rejects the role, or denies it a right that the run needs.',
    remedy: 'Restore its password, LOGIN or the right that the message names, then rerun.',
  },
  'no-network': {
    meaning: 'This machine had no network or no name service.',
    remedy: 'Check its network, then rerun.',
  },
  'server-error': {
    meaning: 'The server reported an error.',
    remedy: 'Correct what its message names, such as a parameter.',
  },
  'server-changed': {
    meaning: 'Settings or contents of the server are not those that the run reports for it.',
    remedy: 'Change them in the experiment only, then rerun.',
  },
  'volume-failed': {
    meaning: 'A volume on this machine broke, or could not be made, limited or removed.',
    remedy: 'Check the disk, for example with `dmesg`.',
  },
  'disk-full': {
    meaning: 'A disk was full.',
    remedy: 'Free up space there, use a larger volume, or load less.',
  },
  'file-error': {
    meaning: 'pgduet could not read or write a file.',
    remedy: 'Check the path, its permissions and the disk.',
  },
  'memory-ran-out': {
    meaning: 'Memory ran out, and the kernel ended a process.',
    remedy: 'Provide more memory, or choose smaller shared_buffers or work_mem, fewer clients or less data.',
  },
  'program-failed': {
    meaning: 'A program that pgduet runs could not be started, hung, or exited with an error.',
    remedy: 'Fix what its last output names.',
  },
  'load-failed': {
    meaning: 'The load generator exited with an error, or too early.',
    remedy: 'Fix what its last output names.',
  },
  'no-transactions': {
    meaning: 'No transaction ended while the load ran.',
    remedy: 'Use fewer clients or longer trials, or omit parameters that delay connections, such as pre_auth_delay.',
  },
  'load-overdue': {
    meaning: 'The load was still running long after its planned end.',
    remedy: 'Check whether the server still answers.',
  },
  'input-changed': {
    meaning: 'A workload file changed while a program that reads it was running.',
    remedy: 'Restore the file, then continue the run with --resume.',
  },
  'aws-call': {
    meaning: 'AWS rejected a call, throttled it, or returned an error.',
    remedy:
      'Correct the credentials, the Region or the rights that the message names. If AWS throttles, try again later.',
  },
  'experiment-file': {
    meaning: 'The experiment has problems. `problems` has each, with its line and its code.',
    remedy: 'Correct them. Nothing was run.',
  },
  usage: {
    meaning: 'The command line is wrong.',
    remedy: 'Correct the word that the message names, or look it up with --help.',
  },
  'unknown-experiment': {
    meaning: 'There is no experiment of this name, or no file at this path.',
    remedy: 'Use one of the names that the message lists, or correct the path.',
  },
  'unknown-id': {
    meaning: 'Nothing has this id.',
    remedy: `Look it up in the list: ${ownCommand} explain.`,
  },
  'no-run': {
    meaning: 'This folder contains no pgduet run.',
    remedy: 'Name the folder of a run, such as results/quick/latest.',
  },
  'other-version': {
    meaning: 'The file is from a pgduet version that this one cannot read.',
    remedy: 'Update pgduet, or create the file again.',
  },
  rejected: {
    meaning: 'Something does not work that you can correct.',
    remedy: 'Correct what the message names.',
  },
  bug: {
    meaning: 'pgduet has a bug.',
    remedy: 'Report it, with what stderr shows.',
  },
  other: {
    meaning: 'Any other cause.',
    remedy: 'Read the message; if it is a bug in pgduet, report it.',
  },
} as const satisfies Record<string, Meaning>;

export type FailureCode = keyof typeof failureMeanings;
