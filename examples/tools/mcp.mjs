/** Uses the tools of an MCP server like other tools: the official client connects to the server, and isoglot runs the loop. */
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { generate, textOf } from 'isoglot'
import { mcpTools } from 'isoglot/mcp'
import { chooseModel } from './model.mjs'

const client = new Client({ name: 'isoglot-example', version: '1.0.0' })
const server = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url))
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }))

const tools = await mcpTools(client)
console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`)

const { model, stop } = await chooseModel()
const { message } = await generate({ model, prompt: 'What is the weather in Paris?', tools })
console.log(textOf(message))
await stop()
await client.close()
