import { parseDataUrl, unsayable, type ImagePart } from '../../../core/index.ts'
import type { ImageBlock, ImageFormat } from './wire.ts'

const formats: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** Undefined for what is no image that the vendor reads. */
export function imageFormat(mediaType: string): ImageFormat | undefined {
  return formats[mediaType]
}

export function imageBlock(part: ImagePart): ImageBlock {
  if (part.image_url === undefined)
    throw unsayable('input_image has a file_id, which means nothing to this provider: send the image itself as image_url.', part)
  const data = parseDataUrl(part.image_url)
  if (!data) throw unsayable('The data: URL of input_image is neither base64 nor percent-encoded, or has no comma before its data.', part)
  const format = imageFormat(data.mediaType)
  if (!format)
    throw unsayable(
      `input_image of type ${data.mediaType} cannot be sent to this provider: it reads image/png, image/jpeg, image/gif and image/webp.`,
      part,
    )
  return { image: { format, source: { bytes: data.base64 } } }
}
