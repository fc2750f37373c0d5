/**
 * Bedrock Converse: the families of models, and what each of them takes.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html (read 2026-11)
 *
 * @module
 */
import type { IdRule } from '../../core/ids.ts'
import type { Feature, Target } from '../../core/target.ts'
import { fitting } from '../shared/fit-schema.ts'
import { format, provider } from './tables.ts'

/** The requirements of a family of models. A model that is in no family gets what the caller asks for. */
interface Family {
  /** The names of its fields for reasoning. Default: it has none. */
  readonly reasoning?: 'budget' | 'adaptive' | 'nova-2' | 'gpt-oss' | 'qwen3'
  /** Where it takes `topK`: in its own fields, or in their `inferenceConfig`. Default: nowhere. */
  readonly topK?: 'top_k' | 'inferenceConfig'
  /** The media that a result may have. Others go in a user message after the results. Default: images. */
  readonly resultMedia?: readonly ('image' | 'file')[]
  /** Whether a turn with results may have nothing else. */
  readonly resultsAlone?: true
  /** The tool choices that it takes, besides `auto`. Default: all. */
  readonly choices?: readonly ('any' | 'tool')[]
  /** The rule for ids of calls. */
  readonly callId?: IdRule
  /** Whether results that are JSON objects are sent as `json`. */
  readonly jsonResults?: true
  /** Features that it lacks, besides those of all models. */
  readonly unsupported?: readonly Feature[]
  /** Whether it takes a JSON Schema for the answer. Default true. Otherwise the schema is in the system text. */
  readonly schemas?: false
  /** The longest time that it caches for. Default `1h`. */
  readonly longestCache?: '5m'
  /** Whether it can be forced to call while it thinks. Default: no model that thinks can. */
  readonly freeThoughts?: true
  /** Whether it refuses `temperature` and `topP` in one request. */
  readonly oneSampling?: true
}

const claude: Family = { topK: 'top_k', resultMedia: ['image', 'file'], unsupported: ['serverTools'] }
const unsupported: readonly Feature[] = ['serverTools', 'cacheHints']
/** The first pattern that matches a model's id has its family. */
const families: readonly (readonly [RegExp, Family])[] = [
  [
    /claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[01])?(?:-\d{8}|[@:]|$))/,
    { ...claude, reasoning: 'budget', schemas: false, longestCache: '5m' },
  ],
  [/claude-(?:opus|sonnet|haiku)-4-[2-5](?!\d)/, { ...claude, reasoning: 'budget', oneSampling: true }],
  [/claude-(?:opus|sonnet|haiku)-4-6(?!\d)/, { ...claude, reasoning: 'adaptive', oneSampling: true }],
  [/claude-(?:opus|sonnet|haiku)-4-7(?!\d)/, { ...claude, reasoning: 'adaptive', oneSampling: true, schemas: false }],
  [/claude/, { ...claude, reasoning: 'adaptive', oneSampling: true, schemas: false, freeThoughts: true }],
  [/nova-2/, { reasoning: 'nova-2', topK: 'inferenceConfig', schemas: false, longestCache: '5m' }],
  [
    /nova/,
    { topK: 'inferenceConfig', schemas: false, longestCache: '5m', unsupported: ['serverTools', 'toolCacheHints'] },
  ],
  [/llama/, { resultMedia: ['image', 'file'], resultsAlone: true, choices: [], schemas: false, unsupported }],
  [
    /mistral/,
    {
      resultMedia: ['file'],
      resultsAlone: true,
      choices: ['any'],
      callId: { pattern: /^[A-Za-z0-9]{9}$/, maxLength: 9 },
      jsonResults: true,
      unsupported,
    },
  ],
  [/writer/, { resultsAlone: true, unsupported: [...unsupported, 'errorFlag'] }],
  [/gpt-oss/, { reasoning: 'gpt-oss', choices: [], unsupported }],
  [/qwen3/, { reasoning: 'qwen3', resultMedia: [], unsupported }],
  [/qwen|glm|kimi/, { resultMedia: [], unsupported }],
  [/deepseek\.r1|titan/, { schemas: false, unsupported }],
]

/**
 * Returns the family of a model. The ARN of an application profile does not have the model's name, so its family is unknown: the request
 * has what the caller asks for, except the options that have another name in each family.
 */
export function familyOf(model: string): Family {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? {}
}

const commonlyUnsupported: readonly Feature[] = [
  ...(['seed', 'frequencyPenalty', 'presencePenalty', 'parallelToolCalls', 'user'] as const),
  ...(['strictTools', 'names', 'inputCitations', 'refusals', 'imageDetail', 'transcripts'] as const),
]

/** What a model takes. */
export function targetOf(model: string): Target {
  const { unsupported: own = [], schemas, resultMedia = ['image'], resultsAlone, callId } = familyOf(model)
  const unsupported = new Set<Feature>([...commonlyUnsupported, ...own])
  if (schemas === false) unsupported.add('formatDetails')
  // Of Claude. Other families take any names.
  const names = { pattern: /^[a-zA-Z0-9_.-]+$/, maxLength: 64 }
  return {
    format,
    provider,
    title: 'Bedrock',
    unsupported,
    fitTool: fitting({ names }),
    callId: callId ?? { pattern: /^[\w.:-]+$/, maxLength: 64 },
    toolName: { pattern: /^[\w-]+$/, maxLength: 64 },
    resultMedia: new Set(resultMedia),
    foreignReasoning: 'drop',
    lateInstructions: 'user',
    userFirst: true,
    refusesEmpty: true,
    pairsHosted: 'always',
    textErrors: /claude/.test(model),
    bridgesResults: resultsAlone === true,
  }
}
