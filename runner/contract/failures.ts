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
    meaning: 'The run stopped because too many blocks were measured in vain.',
    remedy: 'Remove what disturbs the trials, then rerun.',
  },
  'trials-missing': {
    meaning: 'The run ended, but trials of its plan failed.',
    remedy: 'Look at why they failed, and continue the run with --resume.',
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
    meaning: 'A file of a trial or a run is damaged, missing, or not as it was measured.',
    remedy: 'Restore the file, or rerun.',
  },
  'server-ended': {
    meaning: 'The server’s process ended.',
    remedy: 'Look for the reason in the server’s log.',
  },
  'no-connection': {
    meaning: 'The server let nobody in, in time.',
    remedy:
      'Omit parameters that delay connections, such as pre_auth_delay, and check that the server is not overloaded.',
  },
  'no-answer': {
    meaning: 'The server, or a standby, did not answer or did not do its work in time.',
    remedy: 'Check whether the server hangs, for example for its disk.',
  },
  'connection-lost': {
    meaning: 'A connection to the server, or to a service, was refused or broke, or the server was starting or ending.',
    remedy: 'Look for the reason in the server’s log, then rerun.',
  },
  'no-access': {
    meaning: 'The server does not let the role in, or refuses it a right that the work needs.',
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
    remedy: 'Make room there, use a larger volume, or load less.',
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
    meaning: 'A program that pgduet runs could not be started, hung, or ended with an error.',
    remedy: 'Correct what its last words name.',
  },
  'load-failed': {
    meaning: 'The load generator ended with an error, or before its time.',
    remedy: 'Correct what its last words name.',
  },
  'no-transactions': {
    meaning: 'No transaction ended in the time of the load.',
    remedy: 'Use fewer clients or longer trials, or omit parameters that delay connections, such as pre_auth_delay.',
  },
  'load-overdue': {
    meaning: 'The load had not ended long after its time.',
    remedy: 'Check whether the server still answers.',
  },
  'input-changed': {
    meaning: 'A file of the workload was changed while something that reads it was running.',
    remedy: 'Restore the file, then continue the run with --resume.',
  },
  'aws-call': {
    meaning: 'AWS refused a call, throttled it, or answered with an error.',
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
    meaning: 'There is no run of pgduet in this folder.',
    remedy: 'Name the folder of a run, such as results/quick/latest.',
  },
  'other-version': {
    meaning: 'A version of pgduet wrote the file that this one does not read.',
    remedy: 'Update pgduet, or make the file anew.',
  },
  rejected: {
    meaning: 'Something that the user can correct does not work.',
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
