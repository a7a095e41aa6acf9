import type { ChatHost } from '../../../dialects/index.ts'

/** A row of the table of hosts. */
export interface Host extends ChatHost {
  readonly source: string
  /** Undefined: the option `baseUrl` is required. */
  readonly baseUrl: string | undefined
  /** Not among the defaults, because another provider or purpose uses the same key variable. */
  readonly explicit?: true
}

export type Hosts = Readonly<Record<string, Host>>
