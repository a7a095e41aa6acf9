import type { DecisionRequest } from '../contracts/decision.ts'
import { addressProblem, type AllowedHosts } from '../upstream/media/media-address.ts'
import { MediaError } from '../upstream/media/media-error.ts'
import { isData } from '../upstream/media/media-parts.ts'
import { isImage, partsOfDecision } from '../guards/decision-parts.ts'

/** Throws a 400 for an image at an address that is not public, as for generations. */
export function checkImageAddresses(request: DecisionRequest, allowed: AllowedHosts): void {
  for (const each of partsOfDecision(request)) {
    const url = each.part['image_url']
    if (!isImage(each) || typeof url !== 'string' || isData(url)) continue
    const problem = addressProblem(url, allowed)
    if (problem !== undefined) throw new MediaError('image', 'address', problem, { url }).publicly(`${each.path}.image_url`)
  }
}
