/** The name that goes over the wire, where a source has its own for it; undefined where this provider speaks another dialect for the model. */
export function wireName(provider: string, id: string): string | undefined {
  switch (provider) {
    case 'fireworks': {
      // docs.fireworks.ai: names are resource paths, and versions are written with a p.
      if (id.startsWith('accounts/')) return id
      const kind = id.endsWith('-fast') ? 'routers' : 'models'
      return `accounts/fireworks/${kind}/${id.replace(/(?<=\d)\.(?=\d)/g, 'p')}`
    }
    case 'cohere':
      // docs.cohere.com, "Models": what is asked for carries a month and a year.
      return /^command(-light|-a|-r|-r-plus|-r7b)?$/.test(id) ? undefined : id
    case 'gemini':
      return id.startsWith('claude') ? undefined : id
    case 'vertex':
      return /^(gemini|claude)/.test(id) ? id : undefined
    case 'cloudflare-ai-gateway':
      // Its compatible door has the maker in front; the others are the makers' own dialects.
      return id.includes('/') ? id : undefined
    default:
      return id
  }
}
