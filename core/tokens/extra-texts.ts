import type { GenerationRequest } from '../contracts/request.ts'
import type { JsonObject } from '../foundation/json.ts'

/**
 * The members that only the dialect of the caller can say. A vendor may read them and bill them, so they count like the schemas of tools.
 * Left out are parts that the caller's dialect says as a whole: `estimateOtherInput` counts them.
 */
export function extraTextsOf({ extra, input, tools = [] }: GenerationRequest): string[] {
  const texts: string[] = []
  if (extra) addMembers(extra.fields, texts)
  for (const item of input) {
    // The others count as a whole.
    if (item.type === 'message') addAll([item, ...item.content], texts)
    else if (item.type === 'function_call' || item.type === 'custom_tool_call') addAll([item], texts)
    else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
      addAll(typeof item.output === 'string' ? [item] : [item, ...item.output], texts)
  }
  addAll(tools, texts)
  return texts
}

type Extended = { readonly type: string; readonly extra?: JsonObject }

function addAll(values: readonly { readonly type: string }[], texts: string[]): void {
  for (const { type, extra } of values as readonly Extended[])
    if (extra !== undefined && type !== 'vendor' && typeof extra['type'] !== 'string') addMembers(extra, texts)
}

function addMembers({ cache_control: _, ...members }: JsonObject, texts: string[]): void {
  if (Object.keys(members).length > 0) texts.push(JSON.stringify(members))
}
