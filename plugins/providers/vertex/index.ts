import { Clock, definePlugin, headersOption, PluginError, Providers, requirePeer, timeoutsOption } from '../../../core/index.ts'
import { safetySettingsOption } from '../gemini/safety.ts'
import { defaultAdvice, readCredentials, type GoogleCredentials } from './credentials.ts'
import { authPackage, defaultClient, googleClient } from './google-client.ts'
import { googleToken } from './google-token.ts'
import { hostOf } from './location.ts'
import { vertexProvider } from './provider.ts'

/** Gemini and Claude on Vertex AI, behind Google credentials. */
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
        description: 'The Google Cloud project. Default: that of the credentials, if they name one.',
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
              "A service account's key, or any other file of Google's tools: a user, a workload identity, an impersonated service account.",
          },
          json: { type: 'string', minLength: 1, writeOnly: true, description: 'The same, as the text of the file.' },
          source: {
            enum: ['application-default', 'metadata'],
            description:
              "`application-default`: what `GOOGLE_APPLICATION_CREDENTIALS` names, or `gcloud auth application-default login` left, or else the machine's own account. `metadata`: the machine's own account, by its metadata server, which is asked for nothing else.",
          },
        },
        description: 'One of these. Default: `source: application-default`. Needs the package `google-auth-library`.',
      },
      tokenUrl: {
        type: 'string',
        format: 'uri',
        description: "Where access tokens come from; default: what the credentials say, else Google's.",
      },
      baseUrl: {
        type: 'string',
        format: 'uri',
        description: 'The address that `/v1/projects/…` is added to; default: that of the location.',
      },
      safetySettings: safetySettingsOption,
      headers: headersOption,
      timeouts: timeoutsOption,
    },
  },
  needs: { clock: Clock },
  instance: options => options.id,
  async setup(gateway, { id, project, location, credentials, tokenUrl, baseUrl, safetySettings, headers, timeouts }, { clock }) {
    const { file } = credentials
    const read = readFor(gateway.name, file === undefined ? credentials : { file: gateway.resolvePath(file) })
    requirePeer(gateway.name, authPackage, 'for Google credentials')
    const found = read.source === 'library' ? await foundFor(gateway.name) : undefined
    const owner = project ?? found?.project ?? read.project
    if (owner === undefined) throw new PluginError(gateway.name, 'needs the option project, since its credentials name none.')
    const root = `${(baseUrl ?? hostOf(location)).replace(/(\/v1)?\/*$/, '')}/v1/projects/${owner}/locations/${location}`
    const token = googleToken(
      async () => found?.client ?? googleClient(read, tokenUrl),
      clock,
      (secret, expiresAtMs) => gateway.secret(secret, expiresAtMs),
    )
    gateway.add(Providers, vertexProvider({ id, root, project: owner, token, safetySettings, headers, timeouts }, gateway.http))
  },
})

function readFor(plugin: string, credentials: Parameters<typeof readCredentials>[0]): GoogleCredentials {
  try {
    return readCredentials(credentials)
  } catch (cause) {
    throw new PluginError(plugin, (cause as Error).message, { cause })
  }
}

/** Nothing was left in a file. What the library finds elsewhere it finds now, so that a start without credentials fails. */
async function foundFor(plugin: string): ReturnType<typeof defaultClient> {
  try {
    return await defaultClient()
  } catch (cause) {
    throw new PluginError(plugin, `found no Google credentials. ${defaultAdvice}`, { cause })
  }
}
