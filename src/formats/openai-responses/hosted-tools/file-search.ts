/**
 * OpenAI Responses, a tool that OpenAI runs: file search.
 *
 * @see https://platform.openai.com/docs/guides/tools-file-search (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

/** A condition on the attributes of files. It has the form and the field names of the wire. */
export type FileFilter =
  | {
      type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin'
      key: string
      value: string | number | boolean | (string | number)[]
    }
  | { type: 'and' | 'or'; filters: FileFilter[] }

/** How the results are ranked. */
export interface RankingOptions {
  /** The algorithm that ranks the results. Default `auto`. */
  readonly ranker?: 'auto' | 'default-2024-11-15'
  /** The minimum score of a result, from 0 to 1. Default 0. */
  readonly scoreThreshold?: number
  /** The weights of the two kinds of search: by meaning (embeddings) and by the words of the text. */
  readonly hybridSearch?: { readonly embeddingWeight: number; readonly textWeight: number }
}

/** Options of {@link fileSearch}. */
export interface FileSearchOptions {
  /** The ids of the vector stores to search. */
  readonly vectorStoreIds: readonly string[]
  /** Which files to search, by their attributes. Default: all files. */
  readonly filters?: FileFilter
  /** The maximum number of results, from 1 to 50. Default: the provider's. */
  readonly maxResults?: number
  /** Default: the provider's. */
  readonly ranking?: RankingOptions
}

type WireRanking = {
  ranker?: 'auto' | 'default-2024-11-15'
  score_threshold?: number
  hybrid_search?: { embedding_weight: number; text_weight: number }
}

/** A file search in the form of the wire. */
export type WireFileSearch = {
  type: 'file_search'
  vector_store_ids: string[]
  filters?: FileFilter
  max_num_results?: number
  ranking_options?: WireRanking
}

/**
 * Lets the model search the files in your vector stores.
 */
export function fileSearch(options: FileSearchOptions): HostedTool<'openai-responses', WireFileSearch> {
  const { vectorStoreIds, filters, maxResults, ranking } = options
  return hosted({
    type: 'file_search',
    vector_store_ids: [...vectorStoreIds],
    ...compact({ filters, max_num_results: maxResults, ranking_options: ranking && encodeRanking(ranking) }),
  })
}

function encodeRanking({ ranker, scoreThreshold, hybridSearch }: RankingOptions): WireRanking {
  return compact({
    ranker,
    score_threshold: scoreThreshold,
    hybrid_search: hybridSearch && {
      embedding_weight: hybridSearch.embeddingWeight,
      text_weight: hybridSearch.textWeight,
    },
  })
}
