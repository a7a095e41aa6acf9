import type { Item } from '../contracts/items.ts'
import { addressProblem, type AllowedHosts } from '../upstream/media/media-address.ts'
import { MediaError } from '../upstream/media/media-error.ts'
import { isData, namedMedia, partsOf, pathOf } from '../upstream/media/media-parts.ts'

/**
 * Throws a 400 for an image or a file at an address that is not public, whether the vendor or the gateway would fetch it: a vendor
 * inside a private network must not reveal that network to callers either.
 */
export function checkMediaAddresses(input: readonly Item[], allowed: AllowedHosts): void {
  for (let index = 0; index < input.length; index++) {
    const item = input[index]!
    const parts = partsOf(item)
    for (let position = 0; position < parts.length; position++) {
      const named = namedMedia(parts[position]!)
      if (named) check(named.url, named.field, pathOf(item, index, position, named.field), allowed)
    }
    if (item.type === 'computer_call_output') checkScreenshot(item['output'], index, allowed)
  }
}

function checkScreenshot(output: unknown, index: number, allowed: AllowedHosts): void {
  const { image_url: url } = (output ?? {}) as { readonly image_url?: unknown }
  if (typeof url === 'string' && !isData(url)) check(url, 'image_url', `input[${index}].output.image_url`, allowed)
}

function check(url: string, field: 'image_url' | 'file_url', path: string, allowed: AllowedHosts): void {
  const problem = addressProblem(url, allowed)
  if (problem !== undefined) throw new MediaError(field === 'image_url' ? 'image' : 'file', 'address', problem, { url }).publicly(path)
}
