import { Catalog } from '../../contracts/catalog.ts'
import type { Item } from '../../contracts/items.ts'
import type { GenerationRequest, ToolDefinition } from '../../contracts/request.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import type { Tool, ToolEntry } from '../../contracts/tool.ts'
import { checkTool, mayUseTool } from '../../admission/tool-permissions.ts'
import { wire } from '../../framework/container.ts'
import { Tools } from '../../framework/extension-points.ts'
import type { Registry } from '../../framework/registry.ts'
import { checkSight } from '../../guards/check-sight.ts'
import { looseBodyValidator } from '../../validation/body-validator.ts'
import { checkedSession, unavailable } from './checked-tool.ts'
import { OpenTools, type OpenTool } from './open-tools.ts'
import { entrySchema } from './tool-schemas.ts'
import { bringsSecretTool, type ToolSecrets } from './tool-secrets.ts'
import { bringsTools } from '../agent-tools/discovered-tools.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'

/** A tool of a plugin. */
export interface LoadedTool {
  readonly tool: Tool
  /** The plugin that added it. */
  readonly plugin: string
  /** Throws a 400 for the first entry of the tool that its schema does not allow. */
  readonly check: (request: Pick<GenerationRequest, 'tools'>) => void
}

/** Tools need these besides the request. */
export interface Opening {
  readonly context: RunContext
  /** A guardrail reads the request or its answer. */
  readonly isGuarded: boolean
  /** The conversation as models read it. */
  readonly readable: readonly Item[]
  readonly secrets: ToolSecrets | undefined
}

/** The tools that the gateway runs. */
export class LoadedTools {
  readonly #byType: ReadonlyMap<string, LoadedTool>
  readonly #catalog: Catalog
  readonly #conversing: readonly Tool[]

  static {
    wire(this, [Tools, Catalog])
  }

  constructor(tools: Registry<Tool>, catalog: Catalog) {
    this.#catalog = catalog
    const all = tools.values()
    this.#byType = new Map(all.map(tool => [tool.type, { tool, plugin: tools.pluginOf(tool.type)!, check: entryCheck(tool) }]))
    this.#conversing = all.filter(tool => tool.conversation)
  }

  get types(): ReadonlySet<string> {
    return new Set(this.#byType.keys())
  }

  /** Opens the tools of a request, if it has any of these. Throws 400 and 422. */
  open(request: GenerationRequest, { context, isGuarded, readable, secrets }: Opening): OpenTools | undefined {
    if (!request.tools || this.#byType.size === 0) return undefined
    const open: OpenTool[] = []
    const checked = new Set<LoadedTool>()
    const sent = secrets ? secrets.restored(request) : request
    for (const [index, entry] of (request.tools as readonly ToolEntry[]).entries()) {
      const loaded = this.#byType.get(entry.type)
      if (!loaded) continue
      try {
        if (!checked.has(loaded)) loaded.check(sent)
        checked.add(loaded)
        const { tool } = loaded
        const { policy, key } = context.caller
        const path = `tools[${index}]`
        checkTool(key, tool.type, path)
        checkSight('tool', tool.type, tool.seesContent, policy, request)
        const allows = (...parts: readonly string[]): boolean => mayUseTool(key, [tool.type, ...parts])
        const scope = { request, context, catalog: this.#catalog, path, isGuarded, allows }
        const session = checkedSession(tool.open(sent.tools![index] as ToolEntry, scope), loaded)
        open.push({ path, entry, loaded, session })
      } catch (error) {
        throw unavailable(error, loaded, context)
      }
    }
    return open.length > 0 ? new OpenTools(open, request, readable) : undefined
  }

  /**
   * Throws a 400 for an item that brings a tool which only `tools` may list: its server must be allowed, and its credentials must not be
   * stored with the conversation.
   */
  checkBrought(input: readonly Item[]): void {
    for (const [index, item] of input.entries())
      if (bringsTools(item) && bringsSecretTool(item, this.#byType))
        throw invalidRequest(
          wording`Expected tools that call servers only in tools, but got one in an item. Move it.`,
          `input[${index}].tools`,
        )
  }

  /** The request with the conversation as models should read it. */
  readable(request: GenerationRequest): GenerationRequest {
    if (this.#conversing.length === 0) return request
    const input = this.#conversing.reduce<readonly Item[]>((items, tool) => tool.conversation!(items), request.input)
    return input === request.input ? request : { ...request, input }
  }
}

function entryCheck({ type, schema }: Tool): LoadedTool['check'] {
  const validate = looseBodyValidator(entrySchema(type, schema))
  return ({ tools }) => validate({ tools: tools as readonly ToolDefinition[] })
}
