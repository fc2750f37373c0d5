/**
 * OpenAI Responses, the tools that OpenAI runs itself: pictures.
 *
 * @see https://platform.openai.com/docs/guides/tools-image-generation (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

/** Options of {@link imageGeneration}. */
export interface ImageGenerationOptions {
  /** Whether to make a new picture or change one that is there. Default `auto`. */
  readonly action?: 'generate' | 'edit' | 'auto'
  /** `transparent` needs `png` or `webp`. Default `auto`. */
  readonly background?: 'transparent' | 'opaque' | 'auto'
  /** How much the picture is thought over, however well it is drawn. Default: the effort of the request's reasoning. */
  readonly complexity?: 'low' | 'medium' | 'high'
  /** Pictures in a `gif`. Default 9. */
  readonly frameCount?: number
  /** Of each picture in a `gif`, in milliseconds, in steps of 10. Default 200. */
  readonly frameDurationMs?: number
  /** How close to stay to the pictures given, faces above all. Default `low`; not for `gpt-image-2`. */
  readonly inputFidelity?: 'high' | 'low'
  /** The part of a picture that may change: an uploaded file, or base64. */
  readonly mask?: { readonly fileId?: string; readonly imageUrl?: string }
  /** Default `gpt-image-2`. */
  readonly model?: string
  /** Default `auto`. */
  readonly moderation?: 'auto' | 'low'
  /** In percent. Default 100. */
  readonly outputCompression?: number
  /** Default `png`. */
  readonly outputFormat?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg'
  /** Pictures to stream before the whole one, from 0 to 3. Default 0. */
  readonly partialImages?: number
  /** Default `auto`. */
  readonly quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto'
  /** Width and height in pixels, such as `1024x1536`, or `auto`. */
  readonly size?: string
  /** The model that writes an `svg`, and its effort. Default: the model of the request. */
  readonly svg?: { readonly model?: string; readonly reasoningEffort?: SvgEffort }
}

type SvgEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** An image generation, as the wire has it. */
export type WireImageGeneration = {
  type: 'image_generation'
  action?: 'generate' | 'edit' | 'auto'
  background?: 'transparent' | 'opaque' | 'auto'
  complexity?: 'low' | 'medium' | 'high'
  frame_count?: number
  frame_duration_ms?: number
  input_fidelity?: 'high' | 'low'
  input_image_mask?: { file_id?: string; image_url?: string }
  model?: string
  moderation?: 'auto' | 'low'
  output_compression?: number
  output_format?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg'
  partial_images?: number
  quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto'
  size?: string
  svg?: { model?: string; reasoning?: { effort: SvgEffort } }
}

/**
 * Lets the model draw.
 */
export function imageGeneration(
  options: ImageGenerationOptions = {},
): HostedTool<'openai-responses', WireImageGeneration> {
  const { action, background, complexity, mask, model, moderation, quality, size, svg } = options
  return hosted({
    type: 'image_generation',
    ...compact({
      action,
      background,
      complexity,
      frame_count: options.frameCount,
      frame_duration_ms: options.frameDurationMs,
      input_fidelity: options.inputFidelity,
      input_image_mask: mask && compact({ file_id: mask.fileId, image_url: mask.imageUrl }),
      model,
      moderation,
      output_compression: options.outputCompression,
      output_format: options.outputFormat,
      partial_images: options.partialImages,
      quality,
      size,
      svg: svg && encodeSvg(svg),
    }),
  })
}

function encodeSvg({ model, reasoningEffort }: NonNullable<ImageGenerationOptions['svg']>) {
  return compact({ model, reasoning: reasoningEffort && { effort: reasoningEffort } })
}
