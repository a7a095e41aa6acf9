/** Parameters to set. Those that are empty, null or undefined are removed. */
export type Parameters = Readonly<Record<string, string | number | boolean | null | undefined>>

/** The address of a page, for `href`. */
export function hrefOf(page: string, parameters: Parameters = {}): string {
  const text = withParameters(new URLSearchParams(), parameters).toString()
  return `${page || './'}${text && `?${text}`}`
}

export function withParameters(query: URLSearchParams, parameters: Parameters): URLSearchParams {
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === '' || value === false) query.delete(name)
    else query.set(name, String(value))
  }
  return query
}
