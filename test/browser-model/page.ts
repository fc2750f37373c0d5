/** The code of the test page: ours, and the fake, for the browser to run. */

import { localModel } from '../../src/ask/local-model.ts'
import { browserModel } from '../../src/browser-model/index.ts'
import { generate, stream, t, tool } from '../../src/index.ts'
import { fakeLanguageModel } from './fake.ts'

export const tried = { browserModel, generate, stream, t, tool, localModel, fakeLanguageModel }
Object.assign(globalThis, { tried })
