/** The work of a rung of the ladder beyond reading a body, asking the upstream and answering. */
export interface Rung {
  readonly label: string
  /** Asks the upstream through undici's `dispatch`, without a stream, instead of `request`. */
  readonly dispatch?: boolean
  /** Serves through h3 instead of directly on node:http. */
  readonly h3?: boolean
  /** Translates between the two APIs. */
  readonly json?: boolean
  readonly validation?: boolean
  readonly key?: boolean
}

const translated = { json: true } as const
const validated = { ...translated, validation: true } as const
const keyed = { ...validated, key: true } as const

export const rungs = {
  'rung-dispatch': { label: 'node:http, undici dispatch', dispatch: true },
  'rung-request': { label: 'node:http, undici request' },
  'rung-h3': { label: 'h3, undici request', h3: true },
  'rung-json': { label: '+ JSON both ways', h3: true, ...translated },
  'rung-validation': { label: '+ validation', h3: true, ...validated },
  'rung-key': { label: '+ key look-up', h3: true, ...keyed },
  'rung-key-dispatch': { label: 'the same with dispatch', h3: true, dispatch: true, ...keyed },
  'rung-key-node': { label: 'the same without h3', dispatch: true, ...keyed },
} as const satisfies Readonly<Record<string, Rung>>

export type RungName = keyof typeof rungs
