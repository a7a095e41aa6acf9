import type { Capabilities, Endpoint } from '../contracts/catalog.ts'
import type { InputPart, Part } from '../contracts/items.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import type { NamedModel } from './named-models.ts'
import type { Selection } from './selection.ts'

/** A capability that a request may need and an endpoint may be known to lack. Unknown capabilities are tried. */
interface Requirement {
  readonly reason: PassedOver
  isLacking(capabilities: Capabilities): boolean
  isNeeded(request: GenerationRequest): boolean
}

interface Necessity extends Requirement {
  /** Both complete "The request …, and none of its endpoints …". */
  readonly asks: string
  readonly takes: string
}

/** Without these, an endpoint cannot serve the request. */
const necessities: readonly Necessity[] = [
  {
    reason: 'tools',
    asks: 'has tools',
    takes: 'supports them',
    isLacking: ({ tools }) => tools === false,
    isNeeded: ({ tools }) => tools?.some(({ type }) => type === 'function' || type === 'custom' || type === 'namespace') ?? false,
  },
  {
    reason: 'images',
    asks: 'has images',
    takes: 'takes images',
    isLacking: ({ images }) => images === false,
    isNeeded: request => hasPart(request, 'input_image'),
  },
  {
    reason: 'files',
    asks: 'has files',
    takes: 'takes files',
    isLacking: ({ files }) => files === false,
    isNeeded: request => hasPart(request, 'input_file'),
  },
]

/** The gateway has a substitute for these, or can do without. Endpoints of the same model that have them win. */
const preferences: readonly Requirement[] = [
  {
    reason: 'structured-output',
    isLacking: ({ structuredOutput }) => structuredOutput === 'none',
    isNeeded: ({ text }) => text?.format !== undefined && text.format.type !== 'text',
  },
  {
    reason: 'web-search',
    isLacking: ({ webSearch }) => webSearch === false,
    isNeeded: ({ tools }) => tools?.some(tool => tool.type === 'web_search' && tool.engine?.type !== 'managed') ?? false,
  },
]

/**
 * Passes over the endpoints that cannot serve the request, or not as well as others of the same model. Throws a 400 if none is left, after
 * `selection` has noted why.
 */
export function selectCapable(
  selection: Selection,
  models: readonly NamedModel[],
  request: GenerationRequest,
  gatewayCompacts = false,
): void {
  for (const necessity of necessities) {
    if (!isLackingSomewhere(selection, necessity) || !necessity.isNeeded(request)) continue
    const { endpoints } = selection
    selection.keep(
      endpoints.filter(({ capabilities }) => !necessity.isLacking(capabilities)),
      necessity.reason,
    )
    if (selection.endpoints.length === 0) throw incapable(endpoints, necessity)
  }
  for (const preference of preferences) {
    if (!isLackingSomewhere(selection, preference) || !preference.isNeeded(request)) continue
    const left = new Set(selection.endpoints)
    const preferred = new Set(models.flatMap(model => preferredOf(model, left, preference)))
    selection.keep(
      selection.endpoints.filter(endpoint => preferred.has(endpoint)),
      preference.reason,
    )
  }
  if (request.context_management?.length && !gatewayCompacts) preferContextManagement(selection)
}

/** The reason why an endpoint cannot serve the request, if one is known. */
export function lackedBy({ capabilities }: Endpoint, request: GenerationRequest): PassedOver | undefined {
  return necessities.find(({ isLacking, isNeeded }) => isLacking(capabilities) && isNeeded(request))?.reason
}

function isLackingSomewhere({ endpoints }: Selection, { isLacking }: Requirement): boolean {
  for (const { capabilities } of endpoints) if (isLacking(capabilities)) return true
  return false
}

function preferredOf({ endpoints, fallbacks }: NamedModel, left: ReadonlySet<Endpoint>, { isLacking }: Requirement): readonly Endpoint[] {
  const usable = [...endpoints, ...fallbacks].filter(endpoint => left.has(endpoint))
  const able = usable.filter(({ capabilities }) => !isLacking(capabilities))
  return able.length > 0 ? able : usable
}

/** If any endpoint supports it, the others are excluded, whatever their model: docs/protocol/request.md#context-management. */
function preferContextManagement(selection: Selection): void {
  const able = selection.endpoints.filter(({ capabilities }) => capabilities.contextManagement)
  if (able.length > 0) selection.keep(able, 'context-management')
}

function hasPart({ input }: GenerationRequest, type: InputPart['type']): boolean {
  return input.some(item => {
    switch (item.type) {
      case 'message':
        return hasType(item.content, type)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return typeof item.output !== 'string' && hasType(item.output, type)
      default:
        return false
    }
  })
}

function hasType(parts: readonly (Part | InputPart)[], type: InputPart['type']): boolean {
  return parts.some(part => part.type === type)
}

const maxNamed = 3

function incapable(endpoints: readonly Endpoint[], { asks, takes }: Necessity): GatewayError {
  const names = endpoints.slice(0, maxNamed).map(({ provider, model }) => `${provider}/${model}`)
  const more = endpoints.length > names.length ? ` and ${endpoints.length - names.length} more` : ''
  return invalidRequest(
    `The request ${asks}, and none of its endpoints ${takes}: ${names.join(', ')}${more}. ` +
      'Name a model that does, or leave them out. If the catalog is wrong about the model, correct it there.',
    'model',
  )
}
