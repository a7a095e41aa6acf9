import { ConfigError } from './errors.ts'

interface Reasons {
  /** How to choose another port. */
  readonly inUse: string
  readonly absent: string
  readonly forbidden: string
}

function publicReasons(port: number): Reasons {
  const other = nextPort(port)
  const another = `--port ${other}, or server: { port: ${other} } in the config`
  return {
    inUse: `Stop that process, or choose another port: ${another}. A second gateway needs another port for the admin API, too: --admin-port ${other + 1}.`,
    absent: 'Use one that it has, such as 127.0.0.1 or 0.0.0.0: --host, or server.host in the config.',
    forbidden: `Choose a port above 1023 (--port 8080, or server.port in the config) and have a load balancer take port ${port}; or give the process the capability CAP_NET_BIND_SERVICE.`,
  }
}

function adminReasons(port: number): Reasons {
  const other = nextPort(port)
  return {
    inUse: `Choose another port: --admin-port ${other}, or server: { admin: { port: ${other} } } in the config. To do without the admin API, write server: { admin: false }.`,
    absent: 'Use one that it has, such as 127.0.0.1: --admin-host, or server.admin.host in the config.',
    forbidden: 'Choose a port above 1023: --admin-port 8081, or server.admin.port in the config.',
  }
}

/** Why the public API cannot listen. */
export function publicFailure(host: string, port: number, error: unknown): ConfigError {
  return new ConfigError(undefined, [
    `Cannot listen on ${placeOf(host, port)}: ${reasonOf(error as NodeJS.ErrnoException, host, publicReasons(port))}`,
  ])
}

/** Why the admin API cannot listen. */
export function adminFailure(host: string, port: number, error: unknown): ConfigError {
  const reason = reasonOf(error as NodeJS.ErrnoException, host, adminReasons(port))
  return new ConfigError(undefined, [`Cannot listen on ${placeOf(host, port)} for the admin API: ${reason}`])
}

function reasonOf({ code, message }: NodeJS.ErrnoException, host: string, { inUse, absent, forbidden }: Reasons): string {
  switch (code) {
    case 'EADDRINUSE':
      return `the port is in use, perhaps by another gateway. ${inUse}`
    case 'EADDRNOTAVAIL':
      return `this machine does not have that address. ${absent}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} has no address here (${code}). ${absent}`
    case 'EACCES':
      return `this user may not use the port. ${forbidden}`
    default:
      return message
  }
}

function placeOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Probably free, and so is the one after it. Next to a port is often that of its admin API. */
function nextPort(port: number): number {
  return port > 0 && port <= 65_520 ? port + 10 : 9_090
}
