import {
  extensionOf,
  fileTypeOf,
  inlineDataOf,
  isTextFile,
  textOfPart,
  unsayable,
  type FilePart,
  type ImagePart,
  type Part,
} from '../../core/kit.ts'
import { extraOf } from './own-dialect.ts'
import type { Block, CacheControl, DocumentBlock, ImageBlock, TextBlock, VendorBlock } from './wire.ts'

/** The blocks of a user message or a tool output. Leaves out blank texts, which the vendor rejects. */
export function inputBlocks(parts: readonly Part[], isOwn: boolean): readonly Block[] {
  return parts.flatMap((part): readonly Block[] => {
    const extra = extraOf(part, isOwn)
    if (typeof extra?.['type'] === 'string') return [extra as VendorBlock]
    if (part.type === 'input_image') return [{ ...extra, ...imageBlock(part) }]
    if (part.type === 'input_file') return [{ ...extra, ...fileBlock(part) }]
    return textBlocks([part], isOwn)
  })
}

/** The blocks of a message that may hold only text, and what a caller of this dialect puts beside it. */
export function textBlocks(parts: readonly Part[], isOwn: boolean): readonly (TextBlock | VendorBlock)[] {
  return parts.flatMap((part): readonly (TextBlock | VendorBlock)[] => {
    const extra = extraOf(part, isOwn)
    if (extra && (part.type === 'vendor' || typeof extra['type'] === 'string')) return [extra as VendorBlock]
    const text = textOfPart(part)
    return text.trim() === '' ? [] : [{ ...extra, type: 'text', text, ...cacheControl(part) }]
  })
}

function imageBlock(part: ImagePart): ImageBlock {
  const cache = cacheControl(part)
  if (part.file_id !== undefined) return { type: 'image', source: { type: 'file', file_id: part.file_id }, ...cache }
  if (part.image_url === undefined) throw unsayable('input_image has neither image_url nor file_id.', part)
  const data = inlineDataOf(part.image_url, part)
  if (!data) return { type: 'image', source: { type: 'url', url: part.image_url }, ...cache }
  return { type: 'image', source: { type: 'base64', media_type: data.mediaType, data: data.base64 }, ...cache }
}

function fileBlock(part: FilePart): DocumentBlock | ImageBlock {
  const cache = cacheControl(part)
  const title = part.filename === undefined ? {} : { title: part.filename }
  if (part.file_id !== undefined) return { type: 'document', ...title, source: { type: 'file', file_id: part.file_id }, ...cache }
  if (part.file_url !== undefined) return { type: 'document', ...title, source: { type: 'url', url: part.file_url }, ...cache }
  if (part.file_data === undefined) throw unsayable('input_file has neither file_data nor file_url nor file_id.', part)
  const data = inlineDataOf(part.file_data, part) ?? { mediaType: '', base64: part.file_data }
  const mediaType = data.mediaType && data.mediaType !== 'application/octet-stream' ? data.mediaType : typeByName(part.filename)
  if (mediaType === 'application/pdf')
    return { type: 'document', ...title, source: { type: 'base64', media_type: mediaType, data: data.base64 }, ...cache }
  if (mediaType.startsWith('image/'))
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: data.base64 }, ...cache }
  if (!isTextFile(mediaType))
    throw unsayable(`input_file of type ${mediaType} is not supported by this provider. It accepts PDF, text and images.`, part)
  const text = Buffer.from(data.base64, 'base64').toString('utf8')
  return { type: 'document', ...title, source: { type: 'text', media_type: 'text/plain', data: text }, ...cache }
}

/** A file with neither a type nor an extension is probably a PDF. */
function typeByName(filename: string | undefined): string {
  const extension = extensionOf(filename)
  if (extension === undefined) return 'application/pdf'
  return fileTypeOf(filename) ?? `unknown (.${extension})`
}

export function cacheControl(part: object): CacheControl {
  const { cache_control: control } = part as CacheControl
  return control ? { cache_control: control } : {}
}
