import { invalidRequest, isObject, type Exchange, type JsonObject, type Reply } from '../../../core/index.ts'
import { type GatewayServices, wording } from '../../../core/kit.ts'
import { countTokens } from './count-tokens.ts'
import { createContent } from './create.ts'
import { embedContents } from './embed.ts'
import type { Passing } from './passing.ts'
import { targetOf } from './target.ts'

/** Calls the method that the path names. */
export async function callMethod(exchange: Exchange, gateway: GatewayServices, passing: Passing): Promise<Reply> {
  const { provider, id = '' } = exchange.params
  const { model, method } = targetOf(provider === undefined ? id : `${provider}/${id}`)
  const body = await bodyOf(exchange)
  switch (method) {
    case 'generateContent':
      return await createContent(exchange, gateway, passing, body, model, undefined)
    case 'streamGenerateContent':
      return await createContent(exchange, gateway, passing, body, model, exchange.query.get('alt') === 'sse' ? 'events' : 'list')
    case 'countTokens':
      return await countTokens(exchange, gateway, passing, body, model)
    case 'embedContent':
    case 'batchEmbedContents':
      return await embedContents(exchange, gateway, body, model, method === 'batchEmbedContents')
  }
}

async function bodyOf(exchange: Exchange): Promise<JsonObject> {
  const body = await exchange.json()
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  return body
}
