import type { InputPart, Item, Part } from '../contracts/items.ts'
import type { OutputTextPart, RefusalPart, TextPart, Vendor, WithExtra } from '../contracts/parts.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { estimateTokens } from './estimate.ts'

/** About the maximum that vendors count for an image at high detail. */
export const imageTokens = 2_000
/** For a file of which only the URL is known: a document of about ten pages. */
const fileTokens = 20_000

/** Estimates input that is not text: images, files, the state of earlier answers, and content that only the caller's dialect knows. */
export function estimateOtherInput({ input }: GenerationRequest): number {
  let tokens = 0
  for (const item of input) tokens += tokensOfItem(item)
  return tokens
}

function tokensOfItem(item: Item): number {
  switch (item.type) {
    case 'message':
      return tokensOfParts(item.content)
    case 'function_call':
    case 'custom_tool_call':
      return 0
    case 'function_call_output':
    case 'custom_tool_call_output':
      return typeof item.output === 'string' ? 0 : tokensOfParts(item.output)
    default:
      return estimateTokens(JSON.stringify(item).length)
  }
}

function tokensOfParts(parts: readonly (Part | InputPart)[]): number {
  let tokens = 0
  for (const part of parts) {
    if (part.type === 'input_image') tokens += imageTokens
    else if (part.type === 'vendor') tokens += estimateTokens(JSON.stringify(part.extra).length)
    else if (part.type === 'input_file') tokens += part.file_data === undefined ? fileTokens : estimateTokens(part.file_data.length)
    if (part.type !== 'vendor' && 'extra' in part) tokens += tokensBeyond(part)
  }
  return tokens
}

/** The tokens of a part in the caller's dialect that its neutral form does not have. */
function tokensBeyond(part: Exclude<Part | InputPart, Vendor>): number {
  const { extra } = part as WithExtra
  if (extra === undefined || typeof extra['type'] !== 'string') return 0
  const said = part.type === 'input_file' ? (part.file_data ?? '') : part.type === 'input_image' ? (part.image_url ?? '') : textOf(part)
  return estimateTokens(Math.max(0, JSON.stringify(extra).length - said.length))
}

function textOf(part: TextPart | OutputTextPart | RefusalPart): string {
  return part.type === 'refusal' ? part.refusal : part.text
}
