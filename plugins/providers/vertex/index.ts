import { definePlugin, headersOption, PluginError, Providers, timeoutsOption } from '../../../core/index.ts'
import { safetySettingsOption } from '../gemini/safety.ts'
import { readCredentials, type GoogleCredentials } from './credentials.ts'
import { GoogleToken } from './google-token.ts'
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
        description: "The Google Cloud project; default: that of the service account's key.",
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
          file: { type: 'string', minLength: 1, description: "A service account's key, or the configuration of a workload identity." },
          json: { type: 'string', minLength: 1, writeOnly: true, description: 'The same, as the text of the file.' },
          source: {
            enum: ['application-default', 'metadata'],
            description:
              "`application-default`: what `GOOGLE_APPLICATION_CREDENTIALS` names or `gcloud auth application-default login` left. `metadata`: the machine's own account, by its metadata server, which is asked for nothing else.",
          },
        },
        description: 'One of these; default: `source: application-default`.',
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
  instance: options => options.id,
  setup(gateway, { id, project, location, credentials, tokenUrl, baseUrl, safetySettings, headers, timeouts }) {
    const google = readFor(gateway.name, credentials)
    const owner = project ?? google.project
    if (owner === undefined) throw new PluginError(gateway.name, 'needs the option project, since its credentials name none.')
    const root = `${(baseUrl ?? hostOf(location)).replace(/(\/v1)?\/*$/, '')}/v1/projects/${owner}/locations/${location}`
    const token = new GoogleToken(google, tokenUrl, secret => gateway.secret(secret))
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
