import { isatty } from 'node:tty'

/** True if somebody started the command from a terminal. Supervisors, pipes, and containers without `--tty` have none. */
export function isFromTerminal(): boolean {
  return isatty(0) || isatty(1)
}
