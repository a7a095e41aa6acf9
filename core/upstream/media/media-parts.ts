import type { Item, Part } from '../../contracts/items.ts'

const none: readonly Part[] = []

/** The URL of an image or a file in a part. A `data:` URL in `image_url` does not count. */
export interface NamedMedia {
  readonly field: 'image_url' | 'file_url'
  readonly url: string
}

/** The parts of a message or a tool's output. */
export function partsOf(item: Item): readonly Part[] {
  if (item.type === 'message') return item.content
  const output = item.type === 'function_call_output' || item.type === 'custom_tool_call_output' ? item.output : none
  return typeof output === 'object' ? output : none
}

export function namedMedia(part: Part): NamedMedia | undefined {
  if (part.type === 'input_image')
    return part.image_url === undefined || isData(part.image_url) ? undefined : { field: 'image_url', url: part.image_url }
  if (part.type === 'input_file' && part.file_url !== undefined) return { field: 'file_url', url: part.file_url }
  return undefined
}

export function isData(url: string): boolean {
  return /^data:/i.test(url)
}

/** The path of a URL in a request's input. Undefined if no part has it. */
export function pathOfMedia(input: readonly Item[], url: string): string | undefined {
  for (const [index, item] of input.entries())
    for (const [position, part] of partsOf(item).entries()) {
      const named = namedMedia(part)
      if (named?.url === url) return pathOf(item, index, position, named.field)
    }
  return undefined
}

export function pathOf(item: Item, index: number, position: number, field: NamedMedia['field']): string {
  return `input[${index}].${item.type === 'message' ? 'content' : 'output'}[${position}].${field}`
}
