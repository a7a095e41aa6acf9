/** The model's name on the wire, if a source uses a different one. Undefined if the provider serves the model in another dialect. */
export function wireName(provider: string, id: string): string | undefined {
  switch (provider) {
    case 'fireworks': {
      // docs.fireworks.ai: names are resource paths, and versions are written with a p.
      if (id.startsWith('accounts/')) return id
      const kind = id.endsWith('-fast') ? 'routers' : 'models'
      return `accounts/fireworks/${kind}/${id.replace(/(?<=\d)\.(?=\d)/g, 'p')}`
    }
    case 'cohere':
      // docs.cohere.com, "Models": names on the wire include a month and a year.
      return /^command(-light|-a|-r|-r-plus|-r7b)?$/.test(id) ? undefined : id
    case 'gemini':
      return id.startsWith('claude') ? undefined : id
    case 'vertex':
      return /^(gemini|claude)/.test(id) ? id : undefined
    case 'cloudflare-ai-gateway':
      // Its compatible endpoint prefixes the maker. The others use the makers' own dialects.
      return id.includes('/') ? id : undefined
    default:
      return id
  }
}
