import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export interface Forecasts {
  readonly url: string
  close(): Promise<void>
}

/** An MCP server of the official package on a loopback port, with one tool. */
export async function forecasts(): Promise<Forecasts> {
  const http = createServer((request, response) => {
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    void made()
      .connect(transport)
      .then(() => transport.handleRequest(request, response))
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      const closed = new Promise<void>(resolve => http.close(() => resolve()))
      http.closeAllConnections()
      await closed
    },
  }
}

function made(): McpServer {
  const server = new McpServer({ name: 'forecasts', version: '1.0.0' })
  const tool = { description: 'The weather in a city.', inputSchema: z.object({ city: z.string() }), annotations: { readOnlyHint: true } }
  server.registerTool('weather', tool, ({ city }) => ({ content: [{ type: 'text', text: `${city} is sunny` }] }))
  return server
}
