/** What callers may send to the vendor in its own words. */
export interface Passing {
  /** By type. */
  readonly vendorTools: (type: string) => boolean
  /** By name. */
  readonly betas: (name: string) => boolean
}

/** True passes everything, false nothing, a list what it names. An entry may end in `*`. */
export function allowedBy(option: boolean | readonly string[]): (name: string) => boolean {
  if (typeof option === 'boolean') return () => option
  return name => option.some(entry => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry))
}
