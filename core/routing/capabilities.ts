import type { Capabilities, Endpoint } from '../contracts/catalog.ts'
import type { InputPart, Item, Part } from '../contracts/items.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { agentToolTypes } from '../contracts/tools.ts'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { unsayable } from '../upstream/provider-failures.ts'
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
  /** The item of the input that needs it, if it is one. */
  itemIn?(request: GenerationRequest): Item | undefined
}

const agents: ReadonlySet<string> = new Set(agentToolTypes)
/** Tools that the caller runs. */
const callable: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', ...agentToolTypes])

/** Items that every endpoint gets in a form that it knows, or whose provider refuses them. All others are of the Responses API alone. */
const neutral: ReadonlySet<string> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'web_search_call',
  'compaction',
  'compaction_trigger',
  'item_reference',
  'vendor',
  'additional_tools',
  'apply_patch_call',
  'apply_patch_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'tool_search_call',
  'tool_search_output',
])

function isForeign({ type }: Item): boolean {
  return !neutral.has(type)
}

/** Without these, an endpoint cannot serve the request. */
const necessities: readonly Necessity[] = [
  {
    reason: 'tools',
    asks: 'has tools',
    takes: 'supports them',
    isLacking: ({ tools }) => tools === false,
    isNeeded: ({ tools }) => tools?.some(({ type }) => callable.has(type)) ?? false,
  },
  {
    reason: 'tools',
    asks: 'has items that only models behind the Responses API take',
    takes: 'is one',
    isLacking: ({ builtInTools }) => !builtInTools,
    isNeeded: ({ input }) => input.some(isForeign),
    itemIn: ({ input }) => input.find(isForeign),
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
    reason: 'tools',
    isLacking: ({ agentTools, builtInTools }) => (agentTools ? agentTools.length === 0 : !builtInTools),
    isNeeded: ({ tools }) => tools?.some(({ type }) => agents.has(type)) ?? false,
  },
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
    if (selection.endpoints.length === 0) throw incapable(endpoints, necessity, request)
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

function incapable(endpoints: readonly Endpoint[], { asks, takes, itemIn }: Necessity, request: GenerationRequest): GatewayError {
  const names = endpoints.slice(0, maxNamed).map(({ provider, model }) => `${provider}/${model}`)
  const more = endpoints.length > names.length ? ` and ${endpoints.length - names.length} more` : ''
  const item = itemIn?.(request)
  if (item) {
    const message = wording`Items of type ${item.type} cannot be sent to ${names.join(', ')}${own(more)}: only models behind the Responses API take them. Name one, or leave the item out.`
    const cause = unsayable(message.text, item)
    return new GatewayError({ status: 400, type: 'invalid_request_error', code: 'invalid_value', message, cause })
  }
  return invalidRequest(
    wording`The request ${own(asks)}, and none of its endpoints ${own(takes)}: ${names.join(', ')}${own(more)}. Name a model that does, or leave them out. If the catalog is wrong about the model, correct it there.`,
    'model',
  )
}
