import type { CatalogEntry } from '../../core/index.ts'
import type { CatalogEndpoint } from '../../core/kit.ts'

/** Where a host is, what its key is called, and which models it has. */
export interface HostPlace {
  /** The host's documentation that the table was written from. */
  readonly source?: string
  /** The address before `path`. The option `account` replaces `{account}`. Without one, the option `baseUrl` is required. */
  readonly baseUrl?: string | undefined
  /** The meaning of `{account}`, and the environment variable that usually holds it. */
  readonly account?: {
    /** For the description of the option, such as `the account id in its address`. */
    readonly what: string
    /** Such as `ACME_ACCOUNT_ID`. */
    readonly variable: string
  }
  /** The environment variable for the key in the host's documentation, for the error of a missing key. Absent if no key is needed. */
  readonly keyVariable?: string
  /** The host's models, by the name that callers use. Without it, callers name models as `provider/model`, and prices are unknown. */
  readonly models?: Readonly<Record<string, HostModel>>
  /** Where the host lists its models. The gateway reads the list at its start, and regularly after that. */
  readonly modelList?: ModelListTable
}

/** A model of a host. What it leaves out is unknown. */
export interface HostModel
  extends Omit<CatalogEndpoint, 'provider' | 'remove'>, Pick<CatalogEntry, 'aliases' | 'family' | 'created' | 'ownedBy'> {}

/** How to read a list of models. Paths are dotted. */
export interface ModelListTable {
  /** The path behind `baseUrl`, such as `/models`. */
  readonly path: string
  /** The array of models in the reply. Default: `data`. */
  readonly at?: string
  /** The name of a model in its entry. Default: `id`. */
  readonly name?: string
  /** The most tokens of input and output, in its entry. */
  readonly contextWindow?: string
  /** The most tokens of output, in its entry. */
  readonly maxOutputTokens?: string
  /** How often to read it, in seconds. Default: 3600. */
  readonly everySeconds?: number
}

/** A host's URL, or a phrase that says which option is missing. */
export function addressOf(
  { baseUrl: own, account: meaning }: HostPlace,
  baseUrl: string | undefined,
  account: string | undefined,
): { url: string } | { missing: string } {
  const url = baseUrl ?? own
  if (url === undefined) return { missing: 'needs the option baseUrl, because its host has no default address.' }
  if (!url.includes('{account}')) return { url }
  // A workspace's variable may hold a whole URL.
  const part = account?.replace(/^https?:\/\//, '').replace(/\/+$/, '')
  if (!part) return { missing: `needs the option account, ${meaning?.what ?? 'which its address names'}.` }
  return { url: url.replace('{account}', part) }
}
