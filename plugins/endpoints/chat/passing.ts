import type { Exchange } from '../../../core/index.ts'
import type { GatewayServices } from '../../../core/kit.ts'

/** What callers may send to the vendor in its own words. */
export interface Passing {
  /** By type. */
  readonly vendorTools: (type: string) => boolean
}

/** What a request depends on besides its body. */
export interface Circumstances extends Passing {
  /** The types of tools that plugins add. They are passed on as they are. */
  readonly toolTypes: ReadonlySet<string>
  /** True if the costs of the caller have a limit. Then nothing passes whose price the gateway does not know. */
  readonly isCapped: boolean
}

export function circumstancesOf({ caller }: Exchange, { toolTypes }: GatewayServices, passing: Passing): Circumstances {
  return { ...passing, toolTypes, isCapped: caller.spending !== undefined }
}

/** True passes everything, false nothing, a list what it names. An entry may end in `*`. */
export function allowedBy(option: boolean | readonly string[]): (name: string) => boolean {
  if (typeof option === 'boolean') return () => option
  return name => option.some(entry => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry))
}
