import type { Endpoint } from '../../contracts/catalog.ts'
import type { GenerationRequest, ToolChoice, ToolDefinition } from '../../contracts/request.ts'
import type { Warning } from '../../contracts/route.ts'
import type { ToolFunction } from '../../contracts/tool.ts'
import { isNamespace, isOwn } from '../lowering/own-tools.ts'

/** The runner of an entry of `tools`: the endpoint, or the gateway, which offers these functions for it. */
export type ToolOffer = 'endpoint' | readonly ToolFunction[]

export interface OfferState {
  /** By entry of `tools`. The caller's own tools are not among them. */
  readonly offers: ReadonlyMap<object, ToolOffer>
  /** True if the gateway ran a call, so that `tool_choice` is satisfied. */
  readonly hasRun: boolean
  /** True if the model may no longer call the gateway's tools. */
  readonly isClosed: boolean
  /** More may be added. */
  readonly warnings: Warning[]
}

export interface Offered {
  readonly request: GenerationRequest
  readonly warnings: readonly Warning[]
}

type ObjectChoice = Exclude<ToolChoice, string>
type Reference = NonNullable<ObjectChoice['tools']>[number]

/** Puts functions in place of the tools that the gateway runs, in `tools` and in `tool_choice`. */
export function offerTools(request: GenerationRequest, endpoint: Endpoint, state: OfferState): Offered {
  const { tools = [], tool_choice: choice } = request
  const { warnings } = state
  const kept = state.isClosed ? withoutGatewayTools(tools, state) : combinable(tools, request, endpoint, state)
  const hasOwn = kept.some(tool => isOwn(tool) || isNamespace(tool) || state.offers.get(tool) === 'endpoint')
  // Models must not see calls of functions that are not declared, so the last functions stay, and may not be called.
  if (state.isClosed && !hasOwn) return { request: { ...request, tools: functionsOf(tools, state), tool_choice: 'none' }, warnings }
  const { tools: _, tool_choice: __, ...rest } = request
  const offered = functionsOf(kept, state)
  const chosen = choice === undefined || offered.length === 0 ? undefined : choiceFor(choice, tools, state)
  return {
    request: { ...rest, ...(offered.length > 0 && { tools: offered }), ...(chosen !== undefined && { tool_choice: chosen }) },
    warnings,
  }
}

function functionsOf(tools: readonly ToolDefinition[], { offers }: OfferState): readonly ToolDefinition[] {
  return tools.flatMap((tool): ToolDefinition | readonly ToolDefinition[] => {
    const offer = offers.get(tool)
    if (offer === undefined || offer === 'endpoint') return tool
    // Not strict: the schema of a tool need not be of the kind that vendors can enforce.
    return offer.map(({ name, description, parameters }) => ({ type: 'function' as const, name, description, parameters, strict: false }))
  })
}

function withoutGatewayTools(tools: readonly ToolDefinition[], { offers }: OfferState): readonly ToolDefinition[] {
  return tools.filter(tool => offers.get(tool) === undefined || offers.get(tool) === 'endpoint')
}

/**
 * docs/protocol/tools.md#web-search, rule 5: an endpoint that cannot combine its own tool with functions gets the functions, unless
 * `tool_choice` lists the tool alone.
 */
function combinable(
  tools: readonly ToolDefinition[],
  { tool_choice: choice }: GenerationRequest,
  { capabilities }: Endpoint,
  { offers, warnings }: OfferState,
): readonly ToolDefinition[] {
  if (!capabilities.searchAlone) return tools
  const own = tools.filter(tool => offers.get(tool) === 'endpoint')
  if (own.length === 0 || own.length === tools.length) return tools
  const others = tools.filter(tool => !own.includes(tool) && (offers.get(tool)?.length ?? 1) > 0)
  if (others.length === 0) return own
  const listed = typeof choice !== 'object' ? [] : choice.type === 'allowed_tools' ? (choice.tools ?? []) : [choice]
  if (listed.length > 0 && listed.every(({ type }) => own.some(tool => tool.type === type))) return own
  for (const { type } of own)
    warnings.push({
      param: 'tools',
      message: `${type} cannot be combined with functions on this model and was left out; list it alone in allowed_tools to use it`,
    })
  return others
}

function choiceFor(choice: ToolChoice, tools: readonly ToolDefinition[], state: OfferState): ToolChoice | undefined {
  if (typeof choice === 'string') return choice === 'required' && (state.hasRun || state.isClosed) ? 'auto' : choice
  if (choice.type === 'allowed_tools') return allowedFor(choice, tools, state)
  const meant = functionsMeant(choice, tools, state)
  if (!meant) return choice
  if (state.hasRun || state.isClosed || meant.length === 0) return 'auto'
  const [first, ...others] = meant
  return (others.length === 0 ? first : { type: 'allowed_tools', mode: 'required', tools: meant }) as ToolChoice
}

function allowedFor(choice: ObjectChoice, tools: readonly ToolDefinition[], state: OfferState): ToolChoice {
  const references = (choice.tools ?? []).flatMap<Reference>(each => {
    const meant = functionsMeant(each, tools, state)
    return meant ? (state.isClosed ? [] : meant) : each
  })
  if (references.length === 0) return 'none'
  const mode = choice.mode === 'required' && (state.hasRun || state.isClosed) ? 'auto' : choice.mode
  return { ...choice, tools: references, ...(mode && { mode }) } as ToolChoice
}

/** The functions of the gateway that a reference means. Undefined if it means something else. */
function functionsMeant(
  reference: ObjectChoice | Reference,
  tools: readonly ToolDefinition[],
  { offers }: OfferState,
): readonly Reference[] | undefined {
  const { type, name, mode: _, tools: __, ...members } = reference as ObjectChoice
  const entries = tools.filter(tool => tool.type === type && Array.isArray(offers.get(tool)) && hasMembers(tool, members))
  if (entries.length === 0) return undefined
  return entries.flatMap(entry =>
    (offers.get(entry) as readonly ToolFunction[])
      .filter(offered => name === undefined || offered.name === name || offered.toolName === name)
      .map(offered => ({ type: 'function', name: offered.name })),
  )
}

function hasMembers(tool: object, members: object): boolean {
  return Object.entries(members).every(([name, value]) => value === undefined || (tool as Record<string, unknown>)[name] === value)
}
