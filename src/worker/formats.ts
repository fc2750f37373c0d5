/** The formats of the Worker's clients: isoglot's own wire, for pages, and those of the official clients. @module */
import { allFormats } from '../gateway/all-formats.ts'
import { isoglotFormat } from '../gateway/isoglot-format.ts'
import type { GatewayFormat } from '../kit/gateway-format.ts'

export const workerFormats: readonly GatewayFormat[] = [isoglotFormat, ...allFormats]
