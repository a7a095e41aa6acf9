import { parseDataUrl, unsayable, type ImagePart } from '../../../core/kit.ts'
import type { ImageBlock, ImageFormat } from './wire.ts'

const formats: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** The vendor's name for a media type, if it accepts the type. */
export function imageFormat(mediaType: string): ImageFormat | undefined {
  return formats[mediaType]
}

export function imageBlock(part: ImagePart): ImageBlock {
  if (part.image_url === undefined)
    throw unsayable('input_image has a file_id, but this provider does not store files. Send image_url.', part)
  const data = parseDataUrl(part.image_url)
  if (!data) throw unsayable('The data: URL of input_image is malformed. Expected data:<type>;base64,<data>.', part)
  const format = imageFormat(data.mediaType)
  if (!format)
    throw unsayable(
      `input_image of type ${data.mediaType} is not supported by this provider. It accepts image/png, image/jpeg, image/gif and image/webp.`,
      part,
    )
  return { image: { format, source: { bytes: data.base64 } } }
}
