// All that needs h3. `HttpApp` loads it when the first request needs it, because most do not, and it takes a start 40 ms of CPU time: it
// also makes Node.js load its own fetch.

export { H3 } from 'h3'
export { toNodeHandler } from 'h3/node'
export { cors } from './cors.ts'
export { webReply } from './web-reply.ts'
