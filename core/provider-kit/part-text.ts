import type { Part } from '../contracts/parts.ts'
import { unsayable } from '../upstream/provider-failures.ts'

/** The text of a part, in a message that may hold only text. Throws `ProviderFailure` for an image or a file. */
export function textOfPart(part: Part): string {
  if (part.type === 'input_image' || part.type === 'input_file' || part.type === 'vendor')
    throw unsayable(`${part.type} is allowed only in a user message or a tool output.`, part)
  return part.type === 'refusal' ? part.refusal : part.text
}
