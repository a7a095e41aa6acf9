import type { JsonObject } from '../../../core/index.ts'
import type { RouteDescription } from '../../../core/kit.ts'
import { asSent } from '../responses/description/as-sent.ts'
import { failure, include, reply } from '../responses/description/descriptions.ts'
import { inputItemSchemas } from '../responses/description/request-schema.ts'
import { boolean, constant, count, list, object, orNull, ref, string } from '../responses/description/terms.ts'
import { idSchema } from './refusals.ts'
import { createSchema, maxItemsAtOnce } from './request-body.ts'

// The OpenAPI description of each route.

const conversation = object({ id: string, object: constant('conversation'), created_at: count, metadata: { type: 'object' } })

const schemas: Readonly<Record<string, JsonObject>> = {
  ...inputItemSchemas,
  Conversation: conversation,
  DeletedConversation: object({ id: string, object: constant('conversation.deleted'), deleted: { const: true } }),
  ConversationItem: {
    ...object({ type: string, id: string }, { status: string }),
    description: 'An item as an InputItem or an output item, with its id.',
  },
  ConversationItemList: object({
    object: constant('list'),
    data: list(ref('ConversationItem')),
    first_id: orNull(string),
    last_id: orNull(string),
    has_more: boolean,
  }),
}

const path = { id: { description: 'The id of the conversation.', schema: idSchema } }
const itemPath = { ...path, item: { description: 'The id of the item.', schema: string } }

const badRequest = failure('The request is at fault: `param` names the field.')
const failures = {
  400: badRequest,
  401: failure('The API key is missing or unknown.'),
  500: failure('The gateway failed.'),
  503: failure('A part that the gateway needs does not answer, or the gateway is shutting down.'),
}
const found = { ...failures, 404: failure('The owner of the key has no such conversation, or it has no such item.') }
const body = { 413: failure('The body is too large.'), 415: failure('The body is not JSON.') }
const locked = { 409: failure('A response that belongs to the conversation is under way.') }

const { metadata } = (asSent(createSchema) as { readonly properties: Readonly<Record<string, JsonObject>> }).properties
const sentItems: JsonObject = { type: 'array', maxItems: maxItemsAtOnce, items: ref('InputItem') }

export function describeCreate(): RouteDescription {
  return {
    summary: 'Start a conversation',
    request: object({}, { items: orNull(sentItems), metadata: metadata! }),
    isRequestOptional: true,
    replies: { 200: reply('The conversation.', 'Conversation'), ...failures, ...body },
    schemas,
  }
}

export function describeRead(): RouteDescription {
  return { summary: 'Read a conversation', path, replies: { 200: reply('The conversation.', 'Conversation'), ...found }, schemas }
}

export function describeChange(): RouteDescription {
  return {
    summary: 'Replace the metadata of a conversation',
    path,
    request: object({ metadata: metadata! }),
    replies: { 200: reply('The conversation.', 'Conversation'), ...found, ...body },
    schemas,
  }
}

export function describeDelete(): RouteDescription {
  return {
    summary: 'Delete a conversation with its items',
    path,
    replies: { 200: reply('The conversation is deleted.', 'DeletedConversation'), ...found, ...locked },
    schemas,
  }
}

export function describeAdd(): RouteDescription {
  return {
    summary: 'Add items to a conversation',
    path,
    query: include,
    request: object({ items: { ...sentItems, minItems: 1 } }),
    replies: { 200: reply('The items that were added.', 'ConversationItemList'), ...found, ...locked, ...body },
    schemas,
  }
}

export function describeItems(): RouteDescription {
  return {
    summary: 'List the items of a conversation',
    path,
    query: {
      limit: { description: 'The number of items.', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      order: { description: 'Newest first, or oldest first.', schema: { type: 'string', enum: ['desc', 'asc'], default: 'desc' } },
      after: { description: 'The id of the item before the page.', schema: string },
      ...include,
    },
    replies: { 200: reply('A page of the list.', 'ConversationItemList'), ...found },
    schemas,
  }
}

export function describeItem(): RouteDescription {
  return {
    summary: 'Read an item of a conversation',
    path: itemPath,
    query: include,
    replies: { 200: reply('The item.', 'ConversationItem'), ...found },
    schemas,
  }
}

export function describeDeleteItem(): RouteDescription {
  return {
    summary: 'Delete an item of a conversation',
    path: itemPath,
    replies: { 200: reply('The conversation without the item.', 'Conversation'), ...found, ...locked },
    schemas,
  }
}
