import { chatClient } from './chat-client.ts'
import { geminiClient } from './gemini-client.ts'
import { messagesClient } from './messages-client.ts'
import { responsesClient } from './responses-client.ts'
import type { Surface } from './surface.ts'

/** Every surface that takes conversations. */
export const surfaces: Readonly<Record<string, Surface>> = {
  responses: responsesClient,
  chat: chatClient,
  messages: messagesClient,
  gemini: geminiClient,
}
