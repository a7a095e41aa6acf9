import { Clock, definePlugin, PluginError, Providers } from '../../../core/index.ts'
import { headersOption, requirePeer, sendingOptions } from '../../../core/kit.ts'
import { safetySettingsOption } from '../gemini/safety.ts'
import { defaultAdvice, readCredentials, type GoogleCredentials } from './credentials.ts'
import { authPackage, defaultClient, googleClient } from './google-client.ts'
import { googleToken } from './google-token.ts'
import { hostOf } from './location.ts'
import { vertexProvider } from './provider.ts'

/** Gemini and Claude on Vertex AI, with Google credentials. */
export default definePlugin({
  name: 'vertex',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'vertex', description: 'The slug in `provider/model`.' },
      project: {
        type: 'string',
        pattern: '^[a-z0-9.:-]+$',
        description: 'The Google Cloud project. Default: the project in the credentials.',
      },
      location: {
        type: 'string',
        pattern: '^[a-z0-9-]+$',
        default: 'global',
        description: 'Where the models run: `global`, `us`, `eu`, or a region such as `europe-west4`.',
      },
      credentials: {
        type: 'object',
        additionalProperties: false,
        maxProperties: 1,
        default: {},
        properties: {
          file: {
            type: 'string',
            minLength: 1,
            description:
              "A service account's key, or another file from Google's tools: a user, a workload identity, an impersonated service account.",
          },
          json: { type: 'string', minLength: 1, writeOnly: true, description: 'The content of such a file.' },
          source: {
            enum: ['application-default', 'metadata'],
            description:
              "`application-default`: the file in `GOOGLE_APPLICATION_CREDENTIALS`, else the one from `gcloud auth application-default login`, else the machine's account. `metadata`: only the machine's account, from its metadata server.",
          },
        },
        description: 'Set one of these. Default: `source: application-default`. Needs the package `google-auth-library`.',
      },
      tokenUrl: {
        type: 'string',
        format: 'uri',
        description: "The address for access tokens. Default: the one in the credentials, else Google's.",
      },
      baseUrl: {
        type: 'string',
        format: 'uri',
        description: 'The address before `/v1/projects/…`. Default: the address of the location.',
      },
      safetySettings: safetySettingsOption,
      headers: headersOption,
      ...sendingOptions,
    },
  },
  needs: { clock: Clock },
  instance: options => options.id,
  async setup(gateway, { id, project, location, credentials, tokenUrl, baseUrl, safetySettings, headers, ...sending }, { clock }) {
    const { file } = credentials
    const read = readFor(gateway.name, file === undefined ? credentials : { file: gateway.resolvePath(file) })
    requirePeer(gateway.name, authPackage, 'for Google credentials')
    const found = read.source === 'library' ? await foundFor(gateway.name) : undefined
    const owner = project ?? found?.project ?? read.project
    if (owner === undefined) throw new PluginError(gateway.name, 'needs the option project, because its credentials do not name one.')
    const root = `${(baseUrl ?? hostOf(location)).replace(/(\/v1)?\/*$/, '')}/v1/projects/${owner}/locations/${location}`
    const token = googleToken(
      async () => found?.client ?? googleClient(read, tokenUrl),
      clock,
      (secret, expiresAtMs) => gateway.secret(secret, expiresAtMs),
    )
    gateway.add(Providers, vertexProvider({ id, root, project: owner, token, safetySettings, headers, ...sending }, gateway.http))
  },
})

function readFor(plugin: string, credentials: Parameters<typeof readCredentials>[0]): GoogleCredentials {
  try {
    return readCredentials(credentials)
  } catch (cause) {
    throw new PluginError(plugin, (cause as Error).message, { cause })
  }
}

/** Without a credentials file, let the library look elsewhere at startup, so that a start without credentials fails. */
async function foundFor(plugin: string): ReturnType<typeof defaultClient> {
  try {
    return await defaultClient()
  } catch (cause) {
    throw new PluginError(plugin, `found no Google credentials. ${defaultAdvice}`, { cause })
  }
}
