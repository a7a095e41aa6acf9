import { isObject, parseJson, type FunctionCallOutputItem } from '../../../core/index.ts'
import { fileAsText } from './documents.ts'
import { imageContent } from './parts.ts'
import type { DocumentContent, ImageContent } from './wire.ts'

export interface ToolResult {
  readonly content: string | readonly DocumentContent[]
  /** What a tool message cannot hold. */
  readonly images: readonly ImageContent[]
}

/** A result in JSON goes as documents, one for each object in a list, so that the vendor can cite each with its members ("Tool use", citations). */
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

/** Undefined for what is neither an object nor a list of objects. */
function documentsIn(text: string): readonly DocumentContent[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  const list = [parseJson(text)].flat()
  return list.length > 0 && list.every(isObject) ? list.map(data => ({ type: 'document', document: { data } })) : undefined
}
