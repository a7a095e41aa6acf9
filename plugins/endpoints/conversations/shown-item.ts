import { isObject, type JsonObject } from '../../../core/index.ts'
import type { KeptItem } from '../../../core/stores.ts'
import { shownItem as withIncluded, type Included } from '../responses/included.ts'

/** Always there: clients send listed items as input, and an image without its address is none. */
const always = ['message.input_image.image_url', 'computer_call_output.output.image_url'] as const

const withStatus: ReadonlySet<string> = new Set(['message', 'function_call', 'function_call_output'])

/** An item as the public protocol shows it. */
export function shownItem(item: KeptItem, included: Included): JsonObject {
  const shown = withIncluded(item as JsonObject, new Set([...included, ...always]))
  return withStatus.has(item.type) ? { ...shown, status: shown['status'] ?? 'completed', ...content(shown) } : shown
}

/** The public schemas require the annotations of a text. */
function content({ content: parts }: JsonObject): JsonObject {
  if (!Array.isArray(parts)) return {}
  const isBare = (part: unknown): part is JsonObject =>
    isObject(part) && part['type'] === 'output_text' && part['annotations'] === undefined
  return { content: parts.map(part => (isBare(part) ? { ...part, annotations: [] } : part)) }
}
