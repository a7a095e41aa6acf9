import type { InputPart, Item, Part } from '../contracts/items.ts'
import type { CustomTool, FunctionTool, GenerationRequest, NamespaceTool, ToolDefinition } from '../contracts/request.ts'

/** The texts of a request that every model reads. Images, files and state are left out, because their token count is unknown. */
export function textsOf({ instructions, input, tools }: GenerationRequest): string[] {
  const texts: string[] = []
  if (instructions !== undefined) texts.push(instructions)
  for (const item of input) addItem(item, texts)
  for (const tool of tools ?? []) addTool(tool, texts)
  return texts
}

/** True if `textsOf` and `schemasOf` cover the whole request. */
export function isAllText({ input, tools = [] }: GenerationRequest): boolean {
  return input.every(isTextItem) && tools.every(isShown)
}

/** The schemas of tools and of the answer. Vendors present them in their own formats, about as long as the JSON. */
export function schemasOf({ tools, text }: GenerationRequest): string[] {
  const schemas: string[] = []
  for (const tool of tools ?? []) addSchemas(tool, schemas)
  if (text?.format?.type === 'json_schema') schemas.push(JSON.stringify(text.format.schema))
  return schemas
}

function addItem(item: Item, texts: string[]): void {
  switch (item.type) {
    case 'message':
      return addParts(item.content, texts)
    case 'function_call':
      return void texts.push(item.name, item.arguments)
    case 'custom_tool_call':
      return void texts.push(item.name, item.input)
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (typeof item.output === 'string') texts.push(item.output)
      else addParts(item.output, texts)
  }
}

function addParts(parts: readonly (Part | InputPart)[], texts: string[]): void {
  for (const part of parts) {
    if (part.type === 'input_text' || part.type === 'output_text') texts.push(part.text)
    else if (part.type === 'refusal') texts.push(part.refusal)
  }
}

/** Every model sees a tool's name and description. How parameters are presented differs between vendors. */
function addTool(tool: ToolDefinition, texts: string[]): void {
  if (!isShown(tool)) return
  texts.push(tool.name)
  if (tool.description !== undefined) texts.push(tool.description)
  if (tool.type === 'namespace') for (const inner of tool.tools) addTool(inner, texts)
}

function isShown(tool: ToolDefinition): tool is FunctionTool | CustomTool | NamespaceTool {
  return tool.type === 'function' || tool.type === 'custom' || tool.type === 'namespace'
}

function isTextItem(item: Item): boolean {
  switch (item.type) {
    case 'message':
      return item.content.every(isTextPart)
    case 'function_call':
    case 'custom_tool_call':
      return true
    case 'function_call_output':
    case 'custom_tool_call_output':
      return typeof item.output === 'string' || item.output.every(isTextPart)
    default:
      return false
  }
}

function isTextPart({ type }: Part | InputPart): boolean {
  return type !== 'input_image' && type !== 'input_file' && type !== 'vendor'
}

function addSchemas(tool: ToolDefinition, schemas: string[]): void {
  if (tool.type === 'function' && tool.parameters) schemas.push(JSON.stringify(tool.parameters))
  else if (tool.type === 'custom' && tool.format) schemas.push(JSON.stringify(tool.format))
  else if (tool.type === 'vendor') schemas.push(JSON.stringify(tool.extra))
  else if (tool.type === 'namespace') for (const inner of tool.tools) addSchemas(inner, schemas)
}
