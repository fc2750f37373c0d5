/** A small MCP server over stdio: `mcp.mjs` starts it. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'weather', version: '1.0.0' })
server.registerTool(
  'get_weather',
  {
    description: 'Current weather in a city',
    inputSchema: { city: z.string().describe('Name of the city') },
    annotations: { readOnlyHint: true },
  },
  ({ city }) => ({ content: [{ type: 'text', text: `25 °C in ${city}, says the server` }] }),
)
await server.connect(new StdioServerTransport())
