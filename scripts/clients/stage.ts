import type { PluginUse } from '../../core/index.ts'
import { fakeUpstream, type FakeUpstream } from '../../core/testing/index.ts'
import fileCatalog from '../../plugins/catalogs/file/index.ts'
import summary from '../../plugins/compactors/summary/index.ts'
import openaiDecisions from '../../plugins/decisions/openai/index.ts'
import chat from '../../plugins/endpoints/chat/index.ts'
import conversations from '../../plugins/endpoints/conversations/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import geminiApi from '../../plugins/endpoints/gemini/index.ts'
import messages from '../../plugins/endpoints/messages/index.ts'
import rerank from '../../plugins/endpoints/rerank/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import bedrock from '../../plugins/providers/bedrock/index.ts'
import cohere from '../../plugins/providers/cohere/index.ts'
import gemini from '../../plugins/providers/gemini/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import responsesWebSocket from '../../plugins/endpoints/responses-websocket/index.ts'
import mcp from '../../plugins/tools/mcp/index.ts'
import { listeningGateway, type ListeningGateway } from '../../test/kit/gateway.ts'
import { publicVendor, type VendorRequest } from '../../test/plugins/decisions/public-vendor.ts'
import { cohereVendor } from './vendor/cohere.ts'
import { forecasts, type Forecasts } from './vendor/mcp.ts'
import { scriptedVendor, wires, type Model, type WireName } from './vendor/vendor.ts'

const apiKey = 'sk-demo-1'

const providerOf: Readonly<Record<WireName, (baseUrl: string) => PluginUse>> = {
  'by-responses': baseUrl => openaiResponses({ id: 'by-responses', baseUrl, apiKey }),
  'by-chat': baseUrl => openaiChat({ id: 'by-chat', baseUrl, apiKey, host: 'openai' }),
  'by-messages': baseUrl => anthropic({ id: 'by-messages', baseUrl, apiKey }),
  'by-gemini': baseUrl => gemini({ id: 'by-gemini', baseUrl, apiKey }),
  'by-converse': baseUrl => bedrock({ id: 'by-converse', baseUrl, apiKey, region: 'eu-central-1' }),
}

/** Names for clients that insist on those of a maker. */
export const knownNames: Readonly<Record<WireName, { readonly gpt: string; readonly claude: string }>> = {
  'by-responses': { gpt: 'gpt-4.1', claude: 'claude-haiku-5-5' },
  'by-chat': { gpt: 'gpt-4.1-mini', claude: 'claude-sonnet-4-6' },
  'by-messages': { gpt: 'gpt-4o', claude: 'claude-opus-4-6' },
  'by-gemini': { gpt: 'gpt-4o-mini', claude: 'claude-sonnet-5' },
  'by-converse': { gpt: 'gpt-4.1-nano', claude: 'claude-opus-4-5' },
}

export interface StageOptions {
  /** The answers of the vendors. */
  readonly model?: Model
  /** Default: true. */
  readonly webSocket?: boolean
}

/** A gateway on loopback with every surface and a scripted vendor on every wire, whose provider has the name of the wire. */
export class Stage {
  readonly #gateway: ListeningGateway
  readonly #vendors: readonly FakeUpstream[]
  readonly #forecasts: Forecasts

  private constructor(gateway: ListeningGateway, vendors: readonly FakeUpstream[], tools: Forecasts) {
    this.#gateway = gateway
    this.#vendors = vendors
    this.#forecasts = tools
  }

  static async open({ model, webSocket = true }: StageOptions = {}): Promise<Stage> {
    const names = Object.keys(wires) as WireName[]
    const vendors = await Promise.all(names.map(name => scriptedVendor(name, model)))
    const deciding = await fakeUpstream(({ body }) => publicVendor(body as VendorRequest))
    const tools = await forecasts()
    const ranking = await fakeUpstream(cohereVendor)
    const surfaces = [
      chat({}),
      messages({}),
      geminiApi({}),
      decisions({}),
      embeddings({}),
      rerank({}),
      conversations({}),
      summary({}),
      ...(webSocket ? [responsesWebSocket({})] : []),
    ]
    const providers = names.map((name, index) => providerOf[name](vendors[index]!.url))
    const others = [
      openaiDecisions({ apiKey, baseUrl: deciding.url }),
      cohere({ apiKey, baseUrl: ranking.url }),
      mcp({ origins: [{ origin: new URL(tools.url).origin }] }),
    ]
    const models = names.flatMap(provider =>
      Object.values(knownNames[provider]).map(model => ({ model, endpoints: [{ provider, upstreamModel: 'plain' }] })),
    )
    // Retries are the clients'.
    const gateway = await listeningGateway({
      settings: { retries: 0, logLevel: 'silent' },
      plugins: [...surfaces, ...providers, ...others, fileCatalog({ models })],
    })
    return new Stage(gateway, [...vendors, deciding, ranking], tools)
  }

  /** Such as `http://127.0.0.1:40123`. */
  get url(): string {
    return this.#gateway.url
  }

  /** Of an MCP server that callers may name. */
  get mcpUrl(): string {
    return this.#forecasts.url
  }

  get apiKey(): string {
    return this.#gateway.apiKey
  }

  /** Whether the request to a vendor's model ended before its answer, within five seconds. */
  async leftEarly(model: string): Promise<boolean> {
    const asked = this.#vendors.flatMap(({ requests }) => requests).filter(({ text, url }) => `${url} ${text}`.includes(model))
    const late = new Promise<'late'>(resolve => setTimeout(resolve, 5_000, 'late').unref())
    return asked.length > 0 && (await Promise.race([late, Promise.any(asked.map(({ closed }) => closed))])) === 'early'
  }

  async close(): Promise<void> {
    await this.#gateway.stop()
    await this.#forecasts.close()
    await Promise.all(this.#vendors.map(vendor => vendor.close()))
  }
}
