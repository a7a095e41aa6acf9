import { useData } from './data.ts'
import { useSession } from './session.ts'

const defaultPort = 8080

interface Config {
  readonly server: Readonly<Record<string, { readonly value: unknown }>>
}

/** Where the public API probably is, as seen from this browser: on the same host, unless a proxy stands before it. */
export function usePublicUrl(): string {
  const { may } = useSession()
  const { data } = useData<Config>(may('viewer', 'all') ? '/config' : undefined)
  const port = data?.server['port']?.value
  return `${location.protocol}//${location.hostname}:${typeof port === 'number' && port > 0 ? port : defaultPort}`
}
