import { enterBy } from '../../kit/gateway.ts'

// The same tests over sockets, with h3 serving all of them, as it does where it has middleware.

enterBy('h3')
await import('./bodies.test.ts')
await import('./errors.test.ts')
await import('./live-bodies.test.ts')
await import('./streaming.test.ts')
await import('./surface.test.ts')
