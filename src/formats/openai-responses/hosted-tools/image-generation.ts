/**
 * OpenAI Responses, a tool that OpenAI runs: image generation.
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
  /** Whether to make a new image or edit one of the conversation. Default `auto`. */
  readonly action?: 'generate' | 'edit' | 'auto'
  /** The background of the image. `transparent` needs the output format `png` or `webp`. Default `auto`. */
  readonly background?: 'transparent' | 'opaque' | 'auto'
  /** How much the model reasons about the image. It is independent of `quality`. Default: the reasoning effort of the request. */
  readonly complexity?: 'low' | 'medium' | 'high'
  /** The number of frames of a `gif`. Default 9. */
  readonly frameCount?: number
  /** How long a `gif` shows each frame, in milliseconds, a multiple of 10. Default 200. */
  readonly frameDurationMs?: number
  /** How closely the result matches the input images, mainly their faces. Default `low`. `gpt-image-2` does not support it. */
  readonly inputFidelity?: 'high' | 'low'
  /** A mask: the area of the image that may change. `fileId` is an uploaded file, `imageUrl` is an image in base64. */
  readonly mask?: { readonly fileId?: string; readonly imageUrl?: string }
  /** The model that makes the image. Default `gpt-image-2`. */
  readonly model?: string
  /** How strictly images are moderated. Default `auto`. */
  readonly moderation?: 'auto' | 'low'
  /** The compression level of the image, in percent. Default 100. */
  readonly outputCompression?: number
  /** The file format of the image. Default `png`. */
  readonly outputFormat?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg'
  /** The number of partial images to stream before the final one, from 0 to 3. Default 0. */
  readonly partialImages?: number
  /** The quality of the image. Default `auto`. */
  readonly quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto'
  /** The width and height in pixels, such as `1024x1536`, or `auto`. */
  readonly size?: string
  /** The model that writes an `svg`, and its reasoning effort. Default: the model of the request. */
  readonly svg?: { readonly model?: string; readonly reasoningEffort?: SvgEffort }
}

type SvgEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** An image generation tool in the form of the wire. */
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
 * Lets the model generate and edit images.
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
