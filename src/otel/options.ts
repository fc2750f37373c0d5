/** The options of `otel`. Types only. @module */
import type { Attributes, Context, Meter, Tracer } from '@opentelemetry/api'
import type { Observed } from '../client/hooks.ts'
import type { ContentChoice } from './content.ts'
import type { NameChoice } from './names.ts'

/** The data that is written, and its destination. */
export interface OtelOptions {
  readonly tracer: Tracer
  /** Default: no metrics. */
  readonly meter?: Meter
  /**
   * Whether content is written: system text, messages, arguments and results of tools, exceptions. Default false. A function redacts each
   * text; if it throws, `[redaction failed]` is written.
   */
  readonly content?: ContentChoice
  /** The maximum length of an attribute with content, in characters. Default 16,384. */
  readonly maxContentLength?: number
  readonly agentName?: string
  readonly conversationId?: string
  /** The parent context of runs. Default: the context that is active when the run begins. */
  readonly parent?: Context
  /** Which names are written if the conventions have changed a name. Default `both`. */
  readonly names?: NameChoice
  /** More attributes for the span of a run, a round or a tool. */
  readonly attributes?: (about: SpanAbout) => Attributes | undefined
}

/** The subject of a span. */
export interface SpanAbout extends Observed {
  readonly span: 'run' | 'round' | 'tool'
}
