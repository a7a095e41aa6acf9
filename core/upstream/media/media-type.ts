/** An image's real type, from its first bytes. The type that servers send is often wrong. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp'
  if (text.slice(4, 12) === 'ftypheic' || text.slice(4, 12) === 'ftypheix') return 'image/heic'
  return text.startsWith('BM') ? 'image/bmp' : undefined
}
