import { ConfigError } from './errors.ts'

interface Reasons {
  /** How to choose another port. */
  readonly inUse: string
  readonly absent: string
  readonly forbidden: string
}

const publicReasons: Reasons = {
  inUse: 'Stop that process, or choose another port with --port or server.port.',
  absent: 'Set server.host to one that it has, such as 127.0.0.1 or 0.0.0.0.',
  forbidden: 'Choose a port above 1023 with --port or server.port.',
}

const adminReasons: Reasons = {
  inUse: 'Choose another port with server.admin.port, or turn the admin API off with server.admin: false.',
  absent: 'Set server.admin.host to one that it has, such as 127.0.0.1.',
  forbidden: 'Set server.admin.port to a port above 1023.',
}

/** Why the public API cannot listen. */
export function publicFailure(host: string, port: number, error: unknown): ConfigError {
  return new ConfigError(undefined, [`Cannot listen on ${host}:${port}: ${reasonOf(error as NodeJS.ErrnoException, publicReasons)}`])
}

/** Why the admin API cannot listen. */
export function adminFailure(host: string, port: number, error: unknown): ConfigError {
  const reason = reasonOf(error as NodeJS.ErrnoException, adminReasons)
  return new ConfigError(undefined, [`Cannot listen on ${host}:${port} for the admin API: ${reason}`])
}

function reasonOf({ code, message }: NodeJS.ErrnoException, { inUse, absent, forbidden }: Reasons): string {
  switch (code) {
    case 'EADDRINUSE':
      return `the port is in use, perhaps by another gateway. ${inUse}`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine does not have that address. ${absent}`
    case 'EACCES':
      return `this user may not use the port. ${forbidden}`
    default:
      return message
  }
}
