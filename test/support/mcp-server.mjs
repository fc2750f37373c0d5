/** A real MCP server over stdio, by the official SDK: one tool for each thing that a tool can do. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'test-server', version: '1.0.0' })
const text = (value) => ({ content: [{ type: 'text', text: value }] })
let cancelled = 0

server.registerTool(
  'add',
  {
    title: 'Adder',
    description: 'Adds two numbers',
    inputSchema: { x: z.number(), y: z.number().optional() },
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  ({ x, y = 1 }) => text(String(x + y)),
)
server.registerTool('measure', { outputSchema: { celsius: z.number() } }, () => ({
  content: [{ type: 'text', text: '{"celsius":25}' }],
  structuredContent: { celsius: 25 },
}))
server.registerTool('draw', { description: 'Draws' }, () => ({
  content: [
    { type: 'text', text: 'Here it is' },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///notes.txt', mimeType: 'text/plain', text: 'Notes' } },
    { type: 'resource', resource: { uri: 'file:///a/book.pdf', mimeType: 'application/pdf', blob: 'aGk=' } },
    { type: 'resource_link', uri: 'file:///log', name: 'log', description: 'The log' },
  ],
}))
server.registerTool('fail', {}, () => ({ ...text('No such city'), isError: true }))
server.registerTool('throw', {}, () => {
  throw new Error('The server tripped')
})
server.registerTool('silent', {}, () => ({ content: [] }))
server.registerTool('count', {}, async (extra) => {
  for (let progress = 1; progress <= 3; progress++) {
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken: extra._meta.progressToken, progress, total: 3, message: `step ${progress}` },
    })
  }
  // The client of the SDK drops progress that arrives in one chunk with the result.
  await new Promise((resolve) => setTimeout(resolve, 50))
  return text('counted')
})
server.registerTool(
  'wait',
  {},
  (extra) =>
    new Promise((resolve) => {
      extra.signal.addEventListener('abort', () => {
        cancelled++
        resolve(text('cancelled'))
      })
    }),
)
server.registerTool('cancelled', {}, () => text(String(cancelled)))
server.registerTool('die', {}, () => process.exit(1))

await server.connect(new StdioServerTransport())
