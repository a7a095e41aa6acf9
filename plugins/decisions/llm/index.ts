import { CatalogSources, DecisionClients, definePlugin, efforts, PluginError } from '../../../core/index.ts'
import { LlmClient } from './client.ts'
import { mostLabels } from './labels.ts'
import { decisionModels } from './models.ts'

const temperature = {
  type: 'number',
  exclusiveMinimum: 0,
  description: 'What the log-odds are divided by: above 1 the answers grow less sure.',
} as const

/**
 * Decisions by any model that generates text: each option gets a label, the model is asked for one label, and the probabilities of the
 * labels are the answer. Models that tell no log probabilities are asked to estimate, and their answers are marked as `uncalibrated`.
 * Calibration differs from that of a model made for decisions: see docs/decisions.md.
 */
export default definePlugin({
  name: 'llm-decisions',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['models'],
    properties: {
      id: { type: 'string', pattern: '^[^/\\s]+$', default: 'llm', description: 'The slug in `provider/model`.' },
      models: {
        type: 'array',
        minItems: 1,
        description: 'The decision models, and which model answers for each.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'model'],
          properties: {
            name: { type: 'string', pattern: '^[^/\\s]+$', description: "The decision model's id, as callers ask for it." },
            model: { type: 'string', minLength: 1, description: 'The model that answers, such as `ollama/llama3.2`.' },
            mode: {
              enum: ['auto', 'logprobs', 'structured'],
              default: 'auto',
              description:
                'Whether the answer is read from log probabilities or estimated by the model itself. `auto` asks once which of them the model can do.',
            },
            temperature: {
              type: 'object',
              additionalProperties: false,
              description:
                'Corrects answers that are too sure or not sure enough; `turnpike decisions calibrate` finds the values. Default: 1.',
              properties: { noul: temperature, choice: temperature, score: temperature },
            },
            topLogprobs: {
              type: 'integer',
              minimum: 2,
              maximum: mostLabels,
              default: mostLabels,
              description: 'How many log probabilities the host tells; a question with more options is asked in groups of so many.',
            },
            orders: {
              type: 'integer',
              minimum: 1,
              maximum: mostLabels,
              default: 1,
              description:
                'In how many orders the options are asked; the mean evens out a preference of places. Each order is another call.',
            },
            effort: { enum: efforts, description: 'How much the model thinks. `none` for models that would think before the label.' },
          },
        },
      },
      concurrency: { type: 'integer', minimum: 1, default: 8, description: 'How many calls of one decision are under way at a time.' },
      maxCalls: { type: 'integer', minimum: 1, default: 100, description: 'A decision that needs more calls than this is refused.' },
      timeoutMs: { type: 'integer', minimum: 1, description: 'A decision that takes longer is a 504.' },
    },
  },
  instance: options => options.id,
  setup(gateway, options) {
    const names = options.models.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined)
      throw new PluginError(gateway.name, `has two models with the name ${JSON.stringify(twice)}. Give each its own.`)
    gateway.add(DecisionClients, new LlmClient(options))
    gateway.add(CatalogSources, decisionModels(options.id, names))
  },
})
