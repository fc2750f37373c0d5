/** A provider on loopback that speaks over WebSockets, by RFC 6455: no extensions, no fragments. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** One connection. */
export interface Connection {
  readonly headers: IncomingHttpHeaders
  /** The messages that came. */
  readonly asked: Record<string, unknown>[]
  /** Resolves when it is closed. */
  readonly closed: Promise<void>
  send(message: string): void
  close(): void
}

export interface SocketServer {
  readonly url: string
  readonly connections: Connection[]
  stop(): Promise<void>
}

/** Starts one that answers each message by `answer`. With a `status`, it refuses to open. */
export async function startSocketServer(
  answer: (connection: Connection, message: Record<string, unknown>) => void,
  { status }: { readonly status?: number } = {},
): Promise<SocketServer> {
  const connections: Connection[] = []
  const sockets = new Set<Duplex>()
  const server = createServer((_, response) => response.writeHead(426).end())
  server.on('upgrade', (request, socket: Duplex) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (status !== undefined) {
      const body = '{"error":{"message":"no","type":"invalid_request_error","code":"invalid_api_key","param":null}}'
      const head = `HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`
      socket.end(`${head}connection: close\r\n\r\n${body}`)
      return
    }
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${guid}`).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    )
    const connection: Connection = {
      headers: request.headers,
      asked: [],
      closed: new Promise((resolve) => socket.once('close', () => resolve())),
      send: (message) => socket.write(frameOf(1, Buffer.from(message))),
      close: () => socket.end(frameOf(8, Buffer.from([0x03, 0xe8]))), // 1000
    }
    connections.push(connection)
    readFrames(socket, (opcode, payload) => {
      if (opcode === 8) socket.end(frameOf(8, payload))
      if (opcode !== 1) return
      const message = JSON.parse(payload.toString())
      connection.asked.push(message)
      answer(connection, message)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** RFC 6455, section 1.3. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** A server's frame: whole, not masked. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = length < 126 ? [0x80 | opcode, length] : [0x80 | opcode, 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), payload])
}

/** A client's frames are masked. */
function readFrames(socket: Duplex, take: (opcode: number, payload: Buffer) => void): void {
  let held = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 6) {
      const short = (held[1] as number) & 0x7f
      const at = short === 126 ? 4 : 2
      const length = short === 126 ? held.readUInt16BE(2) : short
      const end = at + 4 + length
      if (held.length < end) return
      const mask = held.subarray(at, at + 4)
      const payload = Buffer.from(held.subarray(at + 4, end)).map((byte, index) => byte ^ (mask[index % 4] as number))
      take((held[0] as number) & 0x0f, Buffer.from(payload))
      held = held.subarray(end)
    }
  })
}
