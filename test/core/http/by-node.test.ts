import { enterBy } from '../../kit/gateway.ts'

// The same tests over sockets, as in production: what matches a route exactly does not pass h3.

enterBy('node')
await import('./bodies.test.ts')
await import('./errors.test.ts')
await import('./live-bodies.test.ts')
await import('./streaming.test.ts')
await import('./surface.test.ts')
