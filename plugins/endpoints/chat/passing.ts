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
