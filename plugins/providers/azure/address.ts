import type { Deployment } from './deployments.ts'

/** The addresses of one resource. */
export interface Resource {
  /** For OpenAI's dialects and their classic forms. */
  readonly openai: string
  /** For Anthropic's dialect. */
  readonly anthropic: string
}

/** A resource by name, or by the endpoint in the portal, with or without an API path. */
export function resourceOf(resource: string | undefined, baseUrl: string | undefined): Resource | undefined {
  if (baseUrl !== undefined) {
    const root = baseUrl.replace(/\/+$/, '').replace(/\/(openai(\/v1)?|anthropic(\/v1)?|models)$/, '')
    return { openai: root, anthropic: root }
  }
  if (resource === undefined) return undefined
  return { openai: `https://${resource}.openai.azure.com`, anthropic: `https://${resource}.services.ai.azure.com` }
}

/** "Azure OpenAI in Microsoft Foundry Models v1 API", "REST API reference", and "Deploy and use Claude models in Foundry". */
export function urlOf({ openai, anthropic }: Resource, { name, api, apiVersion }: Deployment): string {
  if (api === 'anthropic') return `${anthropic}/anthropic/v1/messages`
  const query = apiVersion === undefined ? '' : `?api-version=${encodeURIComponent(apiVersion)}`
  const isClassic = /^\d{4}-/.test(apiVersion ?? '')
  if (api === 'responses') return `${openai}/openai/${isClassic ? '' : 'v1/'}responses${query}`
  return isClassic
    ? `${openai}/openai/deployments/${encodeURIComponent(name)}/chat/completions${query}`
    : `${openai}/openai/v1/chat/completions${query}`
}

/** "Create embeddings": the address of the v1 API, or the classic one of a deployment. */
export function embeddingsUrlOf({ openai }: Resource, { name, apiVersion }: Deployment): string {
  const query = apiVersion === undefined ? '' : `?api-version=${encodeURIComponent(apiVersion)}`
  const isClassic = /^\d{4}-/.test(apiVersion ?? '')
  return isClassic
    ? `${openai}/openai/deployments/${encodeURIComponent(name)}/embeddings${query}`
    : `${openai}/openai/v1/embeddings${query}`
}
