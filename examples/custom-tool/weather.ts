// The tool `get_weather`: {"type": "get_weather", "units": "metric"} in `tools` lets any model ask for the weather. The gateway runs it.

import { definePlugin, Tools, type ToolSession } from 'turnpike'

interface Report {
  readonly temperature: number
  readonly sky: string
}

const options = {
  type: 'object',
  additionalProperties: false,
  required: ['baseUrl'],
  properties: {
    baseUrl: { type: 'string', format: 'uri', description: 'The address of the weather service.' },
  },
} as const

export default definePlugin({
  name: 'get-weather',
  options,
  setup(gateway, { baseUrl }) {
    gateway.add(Tools, {
      type: 'get_weather',
      schema: { type: 'object', additionalProperties: false, properties: { type: {}, units: { enum: ['metric', 'imperial'] } } },
      // The service sees places that people ask about. Without agreements, keys with `zdr` or `hipaa` cannot use the tool.
      seesContent: { zdr: false, hipaa: false },
      timeoutMs: 5_000,
      open: ({ units = 'metric' }): ToolSession => ({
        functions: () => [
          {
            name: 'get_weather',
            description: 'The weather in a place right now.',
            parameters: {
              type: 'object',
              properties: { place: { type: 'string', description: 'A town, such as Lisbon.' } },
              required: ['place'],
              additionalProperties: false,
            },
          },
        ],
        async run({ arguments: { place } }, { signal }) {
          const asked = new URL('weather', baseUrl)
          asked.search = String(new URLSearchParams({ place: String(place), units: String(units) }))
          const reply = await fetch(asked, { signal, redirect: 'error' })
          // The model reads this failure, so that it can tell the user.
          if (!reply.ok) return { output: `There is no report for ${String(place)}.`, failed: true }
          const { temperature, sky } = (await reply.json()) as Report
          return { output: JSON.stringify({ place, temperature, units, sky }), counts: { get_weather: 1 } }
        },
      }),
    })
  },
})
