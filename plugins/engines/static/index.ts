import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { definePlugin, PluginError, SearchEngines } from '../../../core/index.ts'
import { staticEngine } from './engine.ts'

/**
 * Searches a folder of Markdown and text files instead of the web: without a network, and the same way every time. The files are read at
 * the first search, and again only after a restart.
 */
export default definePlugin({
  name: 'static-search',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      name: { type: 'string', pattern: '^[\\w-]+$', default: 'static', description: "The engine's name." },
      folder: {
        type: 'string',
        minLength: 1,
        description: "The folder with the files. Default: the gateway's own documentation.",
      },
      baseUrl: {
        type: 'string',
        format: 'uri',
        pattern: '^https?://',
        default: 'https://docs.example.com',
        description: 'Where the folder is published. With the paths of the files, it gives the addresses of results.',
      },
      forProviders: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: 'Search only for models of these providers. Default: for all models.',
      },
      maximumFiles: { type: 'integer', minimum: 1, default: 2_000, description: 'The most files to read. The others are left out.' },
      maximumMegabytes: {
        type: 'integer',
        minimum: 1,
        default: 8,
        description: 'The most text to read, in megabytes. All of it is kept in memory.',
      },
    },
  },
  instance: options => options.name,
  setup(gateway, options) {
    const folder = options.folder === undefined ? ownDocumentation() : gateway.resolvePath(options.folder)
    if (options.folder !== undefined && !existsSync(folder))
      throw new PluginError(gateway.name, `has no folder to search: ${folder} does not exist. Check the option folder.`)
    gateway.add(SearchEngines, staticEngine({ ...options, folder, log: gateway.log }))
  },
})

/** The same folder from the sources and from the published package. */
function ownDocumentation(): string {
  return fileURLToPath(new URL('docs/', import.meta.resolve('turnpike/package.json')))
}
