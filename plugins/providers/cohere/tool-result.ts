import { isObject, parseJson } from '../../../core/index.ts'
import type { FunctionCallOutputItem } from '../../../core/kit.ts'
import { fileAsText } from './documents.ts'
import { imageContent } from './parts.ts'
import type { DocumentContent, ImageContent } from './wire.ts'

export interface ToolResult {
  readonly content: string | readonly DocumentContent[]
  /** Tool messages cannot hold images. */
  readonly images: readonly ImageContent[]
}

/** Sends a JSON result as documents, one per object, so that the vendor can cite each one ("Tool use", citations). */
export function toolResult({ output }: FunctionCallOutputItem, filesAsText: boolean): ToolResult {
  const parts = typeof output === 'string' ? [] : output
  const images = parts.flatMap(part => (part.type === 'input_image' ? [imageContent(part)] : []))
  const texts = parts.flatMap(part => {
    if (part.type === 'input_file') return filesAsText ? [fileAsText(part)] : []
    return part.type === 'input_text' ? [part.text] : []
  })
  const text = typeof output === 'string' ? output : texts.join('\n')
  return { content: documentsIn(text) ?? (text || (images.length > 0 ? 'The result follows as an image.' : '')), images }
}

/** The documents in a text, if it is an object or a list of objects. */
function documentsIn(text: string): readonly DocumentContent[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  const list = [parseJson(text)].flat()
  return list.length > 0 && list.every(isObject) ? list.map(data => ({ type: 'document', document: { data } })) : undefined
}
