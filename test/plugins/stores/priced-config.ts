/**
 * The text of a config with the provider `acme` at this address. Its model `acme-large` costs 1 dollar per million input tokens and 2 per
 * million output tokens.
 */
export function pricedConfig(upstream: string, server = ''): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    import fileCatalog from 'turnpike/plugins/catalogs/file'
    import openaiChat from 'turnpike/plugins/providers/openai-chat'
    export default defineConfig({
      server: { port: 0, drainAnnounceMs: 0, ${server} },
      plugins: [
        ...defaults({ without: ['ollama'] }),
        openaiChat({ id: 'acme', baseUrl: '${upstream}', apiKey: 'sk-demo-upstream' }),
        fileCatalog({ models: [{ model: 'acme-large', endpoints: [{ provider: 'acme', price: { input: 1, output: 2 } }] }] }),
      ],
    })`
}
