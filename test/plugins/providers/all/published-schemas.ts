import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ServiceModel, serviceModelAbsent } from '../bedrock-service-model.ts'

const folder = resolve(import.meta.dirname, '../../../../../shared/wire-schemas')

/** Why requests cannot be held to what the vendors publish, as tap's `skip` takes it. */
export const schemasAbsent: string | false = existsSync(folder) ? serviceModelAbsent : `no vendor schemas in ${folder}`

/** Returns the mistakes of a request according to its vendor's published schema, one sentence each. */
export type RequestCheck = (body: unknown) => readonly unknown[]

/** By the name of the provider under test; those whose vendor publishes none are missing. */
export function requestChecks(): Readonly<Record<string, RequestCheck>> {
  const openai = 'openai.responses-and-chat.schema.json'
  const responses = schemaCheck(openai, '$defs/CreateResponse')
  const chat = schemaCheck(openai, '$defs/CreateChatCompletionRequest')
  const messages = schemaCheck('anthropic.messages.schema.json', '$defs/MessageCreateParamsNonStreaming')
  const gemini = schemaCheck('gemini.v1beta.openapi.json', 'components/schemas/GenerateContentRequest')
  const service = new ServiceModel()
  return {
    'openai-responses': responses,
    'azure-responses': responses,
    'openai-chat': chat,
    'azure-chat': chat,
    'ai-sdk': chat,
    mistral: schemaCheck('mistral.chat.openapi.json', 'components/schemas/ChatCompletionRequest'),
    anthropic: messages,
    gemini: body => gemini({ ...(body as object), model: 'models/demo' }),
    'vertex-gemini': schemaCheck('vertex-ai.v1.generateContent.discovery.json', 'schemas/GoogleCloudAiplatformV1GenerateContentRequest'),
    bedrock: body => service.problems('ConverseRequest', body),
    ollama: schemaCheck('ollama.openapi.json', 'components/schemas/ChatRequest'),
  }
}

function schemaCheck(file: string, pointer: string): RequestCheck {
  const text = readFileSync(resolve(folder, file), 'utf8')
    // Of variants that overlap, vendors take the first that fits.
    .replaceAll('"oneOf"', '"anyOf"')
    // Discovery documents name the schema itself.
    .replaceAll(/"\$ref": ?"(\w+)"/g, '"$ref":"#/schemas/$1"')
  // Words of OpenAPI and of discovery documents that JSON Schema reads otherwise, or not at all.
  const document = JSON.parse(text, (key, value: unknown) =>
    typeof value !== 'object' && (['nullable', 'id', '$id'].includes(key) || (key === 'type' && value === 'any')) ? undefined : value,
  ) as object
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
  ajv.addSchema({ ...document, $id: 'vendor' })
  const validate = ajv.getSchema(`vendor#/${pointer}`)!
  return body => (validate(body) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`))
}
