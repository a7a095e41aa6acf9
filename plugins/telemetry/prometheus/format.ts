const openMetrics = 'application/openmetrics-text'
/** The versions that this format is compatible with. */
const versions = [undefined, '1.0.0', '0.0.1']

/** True if the header `accept` prefers OpenMetrics to the text format. */
export function prefersOpenMetrics(accept: string | null): boolean {
  let best = 0
  let isBest = false
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim())
    const valueOf = (name: string): string | undefined => parameters.find(each => each.startsWith(`${name}=`))?.slice(name.length + 1)
    const isOpen = type === openMetrics && versions.includes(valueOf('version')?.replaceAll('"', ''))
    if (!isOpen && type !== 'text/plain' && type !== 'text/*' && type !== '*/*') continue
    const quality = Number(valueOf('q') ?? 1)
    // Of two that are as good, a format that is named comes before any.
    if (quality > best || (quality === best && quality > 0 && isOpen)) {
      best = quality
      isBest = isOpen
    }
  }
  return isBest
}
