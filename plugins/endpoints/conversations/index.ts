import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { Conversations, GatewayServices, type RouteDescription } from '../../../core/kit.ts'
import { ConversationStore } from '../../../core/stores.ts'
import {
  describeAdd,
  describeChange,
  describeCreate,
  describeDelete,
  describeDeleteItem,
  describeItem,
  describeItems,
  describeRead,
} from './description.ts'
import { insteadOf } from './instead-of.ts'
import type { KeptConversations } from './kept-conversations.ts'

/** `/v1/conversations` and their items, and the member `conversation` of `POST /v1/responses`: docs/protocol/conversations.md. */
export default definePlugin({
  name: 'conversations',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      maxItems: {
        type: 'integer',
        minimum: 1,
        default: 10_000,
        description: 'How many items a conversation may have. The answer that goes over it is still added.',
      },
      maxBytes: {
        type: 'integer',
        minimum: 1024,
        default: 32 * 1024 * 1024,
        description: 'How large the items of a conversation may be together. The answer that goes over it is still added.',
      },
    },
  },
  contracts: { Conversations: 1 },
  needs: { store: ConversationStore, gateway: GatewayServices },
  provides: [Conversations],
  setup(registrar, { maxItems, maxBytes }, { store, gateway }) {
    let loaded: Loaded | undefined
    const load = async (): Promise<Loaded> => {
      const surface = await import('./surface.ts')
      return (loaded ??= {
        surface,
        kept: new surface.KeptConversations(store, gateway, { items: maxItems, bytes: maxBytes }, registrar.log),
      })
    }
    registrar.provide(Conversations, {
      open(scope, id, { adds }) {
        const thread = load().then(({ surface: { RunThread }, kept }) => new RunThread(kept, scope, id, adds))
        return {
          earlier: async () => await (await thread).earlier(),
          ...(adds && { keep: async turn => await (await thread).keep(turn) }),
          over: async () => await (await thread).over(),
        }
      },
    })
    for (const [method, path, serve, describe] of routes) {
      const handle: Route['handle'] = exchange =>
        loaded ? serve(loaded.surface)(exchange, loaded.kept) : load().then(({ surface, kept }) => serve(surface)(exchange, kept))
      registrar.add<Route>(Routes, { method, path, auth: 'key', handle, describe, insteadOf })
    }
  },
})

type Surface = typeof import('./surface.ts')

/** Since the first request. */
interface Loaded {
  readonly surface: Surface
  readonly kept: KeptConversations
}

const path = '/v1/conversations'

const routes: readonly (readonly [Route['method'], string, (surface: Surface) => Surface['createConversation'], () => RouteDescription])[] =
  [
    ['POST', path, ({ createConversation }) => createConversation, describeCreate],
    ['GET', `${path}/:id`, ({ readConversation }) => readConversation, describeRead],
    ['POST', `${path}/:id`, ({ changeConversation }) => changeConversation, describeChange],
    ['DELETE', `${path}/:id`, ({ deleteConversation }) => deleteConversation, describeDelete],
    ['POST', `${path}/:id/items`, ({ addItems }) => addItems, describeAdd],
    ['GET', `${path}/:id/items`, ({ listItems }) => listItems, describeItems],
    ['GET', `${path}/:id/items/:item`, ({ readItem }) => readItem, describeItem],
    ['DELETE', `${path}/:id/items/:item`, ({ deleteItem }) => deleteItem, describeDeleteItem],
  ]
