// Loaded at the first request.

export { changeConversation, createConversation, deleteConversation, readConversation } from './conversations.ts'
export { addItems, deleteItem, listItems, readItem } from './items.ts'
export { KeptConversations } from './kept-conversations.ts'
export { RunThread } from './run-thread.ts'
