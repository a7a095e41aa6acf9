import { CatalogSources, DecisionClients, definePlugin, PluginError } from '../../../core/index.ts'
import { efforts, milliseconds } from '../../../core/kit.ts'
import { LlmClient } from './client.ts'
import { maxLabels } from './labels.ts'
import { decisionModels } from './models.ts'

const temperature = {
  type: 'number',
  exclusiveMinimum: 0,
  description: 'The divisor of the log-odds. Above 1, answers become less sure.',
} as const

/**
 * Decisions from any model that generates text: each option gets a label, the model is asked for one label, and the probabilities of the
 * labels are the answer. Models without log probabilities estimate the probabilities themselves, and their answers are marked
 * `uncalibrated`. Do not expect the calibration of a model made for decisions: see docs/decisions.md.
 */
export default definePlugin({
  name: 'llm-decisions',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^[^/\\s]+$', default: 'llm', description: 'The slug in `provider/model`.' },
      models: {
        type: 'array',
        default: [],
        description: 'The decision models, each with the model that answers for it.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'model'],
          properties: {
            name: { type: 'string', pattern: '^[^/\\s]+$', description: "The decision model's id in requests." },
            model: { type: 'string', minLength: 1, description: 'The model that answers, such as `ollama/llama3.2`.' },
            mode: {
              enum: ['auto', 'logprobs', 'structured'],
              default: 'auto',
              description:
                'Read the answer from log probabilities, or have the model estimate it. `auto` asks the model once to find out what it supports.',
            },
            temperature: {
              type: 'object',
              additionalProperties: false,
              description:
                'Corrects answers that are too sure or not sure enough. `turnpike decisions calibrate` finds the values. Default: 1.',
              properties: { noul: temperature, choice: temperature, score: temperature },
            },
            topLogprobs: {
              type: 'integer',
              minimum: 2,
              maximum: maxLabels,
              default: maxLabels,
              description: 'How many log probabilities the host returns. Questions with more options are split into groups of this size.',
            },
            orders: {
              type: 'integer',
              minimum: 1,
              maximum: maxLabels,
              default: 1,
              description:
                'In how many orders to present the options. The mean evens out a preference for positions. Each order is another call.',
            },
            effort: {
              enum: efforts,
              description: 'The reasoning effort. Use `none` for models that would think before they give the label.',
            },
          },
        },
      },
      anyModel: {
        type: 'boolean',
        default: false,
        description: 'Also answer for every other model that generates text, under its own name, such as `anthropic/claude-sonnet-4-5`.',
      },
      concurrency: { type: 'integer', minimum: 1, default: 8, description: 'How many calls of one decision run at a time.' },
      maxCalls: { type: 'integer', minimum: 1, default: 100, description: 'A decision that needs more calls fails with 400.' },
      timeoutMs: { ...milliseconds, description: 'A decision that takes longer fails with 504.' },
    },
  },
  instance: options => options.id,
  setup(gateway, options) {
    if (options.models.length === 0 && !options.anyModel)
      throw new PluginError(gateway.name, 'has nothing to answer with. Set models or anyModel.')
    const names = options.models.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new PluginError(gateway.name, `has two models named ${JSON.stringify(twice)}. Use unique names.`)
    gateway.add(DecisionClients, new LlmClient(options))
    gateway.add(CatalogSources, decisionModels(options.id, names))
  },
})
