/**
 * Requests in the forms of a format that its client of isoglot does not write, though official clients may: deprecated names, short forms,
 * other names of fields, and fields that only this format has.
 *
 * Each is in the reference of its format, which `server/decode-request.ts` of the format names.
 */
import type { WireName } from '../gateway/provider.ts'

const schema = { type: 'object', properties: { a: { type: 'string' } } }
const said = [{ role: 'user', content: 'Hi' }]

export const ownForms: Readonly<Record<WireName, readonly object[]>> = {
  'openai-chat': [
    {
      model: 'm',
      max_tokens: 9,
      messages: [
        {
          role: 'developer',
          content: [{ type: 'text', text: 'Be short', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }],
        },
        {
          role: 'user',
          name: 'u',
          content: [
            'short',
            { type: 'image_url', image_url: 'https://pictures.example/a.png' },
            { type: 'image_url', image_url: { url: 'https://pictures.example/a.png', detail: 'low' } },
            { type: 'input_audio', input_audio: 'UklGRg==' },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'mp3' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' } },
            { type: 'file', file: { file_id: 'file-1', filename: 'a.pdf' } },
            { type: 'document_url', document_url: 'https://pages.example/a.pdf' },
            { type: 'video_url', video_url: { url: 'https://pages.example/a.mp4' } },
          ],
        },
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":"1"}' } },
        { role: 'function', name: 'f', content: 'r' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 't' },
            { type: 'refusal', refusal: 'no' },
          ],
          reasoning_content: 'thought',
          refusal: 'no',
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://pages.example', title: 'T', start_index: 0, end_index: 1 },
            },
          ],
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":"1"}' } },
            { id: 'call_2', type: 'custom', custom: { name: 'g', input: 'free' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'r' }] },
        { role: 'tool', tool_call_id: 'call_2', content: 'r' },
        { role: 'assistant', audio: { id: 'audio_1' } },
        { role: 'assistant', content: 't', reasoning: 'thought' },
        {
          role: 'assistant',
          content: 't',
          reasoning_text: 'thought',
          reasoning_details: [{ type: 'reasoning.text', text: 'd' }],
        },
      ],
      functions: [{ name: 'f', description: 'd', parameters: schema }],
      function_call: { name: 'f' },
    },
    {
      model: 'm',
      messages: said,
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } },
        { type: 'custom', custom: { name: 'g', description: 'd', format: { type: 'text' } } },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      n: 1,
      stop: 'z',
      metadata: { a: 'b' },
      prediction: { type: 'content', content: 'p' },
      stream_options: { include_usage: true },
    },
    {
      model: 'm',
      messages: said,
      tool_choice: { type: 'custom', custom: { name: 'g' } },
      response_format: { type: 'text' },
    },
  ],
  'openai-responses': [
    {
      model: 'm',
      instructions: 'Be short',
      previous_response_id: 'resp_1',
      conversation: { id: 'conv_1' },
      input: [
        { role: 'user', content: 'Hi' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 't', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'input_image', image_url: 'https://pictures.example/a.png', detail: 'low' },
            { type: 'input_image', file_id: 'file-1' },
            { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' },
            { type: 'input_file', file_url: 'https://pages.example/a.pdf' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'ZW5j' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          phase: 'commentary',
          content: [
            {
              type: 'output_text',
              text: 't',
              annotations: [
                { type: 'url_citation', url: 'https://pages.example', title: 'T', start_index: 0, end_index: 1 },
              ],
              logprobs: [{ token: 't', logprob: -1 }],
            },
            { type: 'refusal', refusal: 'no' },
          ],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":"1"}', namespace: 'ns' },
        { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'g', input: 'free' },
        {
          type: 'shell_call',
          id: 'sh_1',
          call_id: 'call_3',
          action: { commands: ['ls'], timeout_ms: 9 },
          status: 'completed',
        },
        {
          type: 'apply_patch_call',
          id: 'ap_1',
          call_id: 'call_4',
          operation: { type: 'create_file', path: 'a', diff: '+a' },
        },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'r' }] },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: 'r' },
        {
          type: 'shell_call_output',
          call_id: 'call_3',
          output: [{ stdout: 's', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
        },
        { type: 'apply_patch_call_output', call_id: 'call_4', status: 'failed', output: 'r' },
        { type: 'mcp_call', id: 'mcp_1', server_label: 'x', name: 'f', arguments: '{"a":"1"}', output: 'r' },
        { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'x', tools: [{ name: 'f', input_schema: schema }] },
        { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'], results: [{ text: 't' }] },
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          code: 'c',
          container_id: 'cntr_1',
          outputs: [{ type: 'logs', logs: 'l' }],
        },
        {
          type: 'image_generation_call',
          id: 'ig_1',
          status: 'completed',
          result: 'iVBORw0KGgo=',
          output_format: 'png',
        },
        { type: 'item_reference', id: 'msg_2' },
        { type: 'compaction', encrypted_content: 'ZW5j' },
      ],
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: schema, strict: true },
        { type: 'custom', name: 'g', format: { type: 'text' } },
        { type: 'mcp', server_label: 'x', server_url: 'https://tools.example', require_approval: 'never' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      text: { format: { type: 'json_schema', name: 'n', description: 'd', schema, strict: true }, verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'auto' },
      metadata: { a: 'b' },
      user: 'u',
      safety_identifier: 's',
      max_output_tokens: 99,
      parallel_tool_calls: false,
      store: false,
    },
  ],
  anthropic: [
    {
      model: 'claude-sonnet-5',
      max_tokens: 9,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } },
            {
              type: 'document',
              title: 'T',
              context: 'c',
              source: { type: 'text', media_type: 'text/plain', data: 'plain' },
              citations: { enabled: true },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 't' }] } },
            { type: 'document', source: { type: 'file', file_id: 'file_1' } },
            {
              type: 'search_result',
              source: 'https://pages.example',
              title: 'T',
              content: [{ type: 'text', text: 't' }],
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'ZW5j' },
            {
              type: 'text',
              text: 't',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'c',
                  document_index: 0,
                  document_title: 'T',
                  start_char_index: 0,
                  end_char_index: 1,
                },
              ],
            },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                { type: 'web_search_result', url: 'https://pages.example', title: 'T', encrypted_content: 'ZW5j' },
              ],
            },
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: '1' }, cache_control: { type: 'ephemeral' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              is_error: true,
              content: [
                { type: 'text', text: 'r' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
              ],
            },
          ],
        },
        { role: 'system', content: 'later' },
      ],
      tools: [
        { name: 'f', description: 'd', input_schema: schema, strict: true, type: 'custom', defer_loading: true },
        { type: 'web_search_20260318', name: 'web_search', max_uses: 3 },
      ],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      stop_sequences: ['z'],
      thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      metadata: { user_id: 'u' },
      service_tier: 'auto',
    },
    { model: 'm', max_tokens: 9, messages: said, output_format: { type: 'json_schema', schema } },
  ],
  gemini: [
    {
      contents: [
        {
          role: 'user',
          parts: [
            { inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { file_data: { mime_type: 'video/mp4', file_uri: 'gs://a/b.mp4' }, video_metadata: { fps: 1 } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 't', thought: true, thought_signature: 'c2ln' },
            { executable_code: { language: 'PYTHON', code: 'c', id: 'x' } },
            { code_execution_result: { outcome: 'OUTCOME_OK', output: 'o', id: 'x' } },
            { tool_call: { id: 't1', tool_type: 'GOOGLE_SEARCH_WEB', args: { q: 'q' } } },
            { tool_response: { id: 't1', tool_type: 'GOOGLE_SEARCH_WEB', response: { r: 'r' } } },
            { function_call: { id: 'c1', name: 'f', args: { a: '1' } } },
          ],
        },
        {
          role: 'function',
          parts: [
            {
              function_response: {
                id: 'c1',
                name: 'f',
                response: { output: 'r' },
                parts: [{ inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } }],
              },
            },
          ],
        },
        { parts: { text: 'one part' } },
      ],
      system_instruction: { role: 'system', parts: ['s'] },
      tools: [
        {
          function_declarations: [
            { name: 'f', description: 'd', parameters: schema },
            { name: 'g', parametersJsonSchema: schema },
          ],
        },
        { google_search: {} },
      ],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: {
        max_output_tokens: 9,
        top_k: 3,
        stop_sequences: ['z'],
        response_mime_type: 'application/json',
        response_schema: schema,
        thinking_config: { include_thoughts: true, thinking_budget: 128 },
      },
      safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
      labels: { a: 'b' },
    },
    {
      contents: { parts: [{ text: 'Hi' }] },
      systemInstruction: 's',
      generationConfig: {
        responseJsonSchema: schema,
        responseMimeType: 'application/json',
        thinkingConfig: { thinkingLevel: 'LOW' },
      },
    },
  ],
  'gemini-interactions': [
    {
      model: 'm',
      stream: false,
      input: [
        {
          type: 'user_input',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image', data: 'iVBORw0KGgo=', mime_type: 'image/png', resolution: 'low' },
            { type: 'document', uri: 'gs://a/b.pdf', mime_type: 'application/pdf' },
          ],
        },
        { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 's' }] },
        {
          type: 'model_output',
          content: [
            {
              type: 'text',
              text: 't',
              annotations: [
                { type: 'url_citation', url: 'https://pages.example', title: 'T', start_index: 0, end_index: 1 },
              ],
            },
          ],
        },
        { type: 'google_search_call', id: 'g1', arguments: { queries: ['q'] }, signature: 'c2ln' },
        { type: 'google_search_result', call_id: 'g1', result: [{ search_suggestions: 's' }], signature: 'c2ln' },
        { type: 'code_execution_call', id: 'x1', arguments: { code: 'c', language: 'python' } },
        { type: 'code_execution_result', call_id: 'x1', result: 'r', is_error: false },
        { type: 'mcp_server_tool_call', id: 'm1', name: 'f', server_name: 's', arguments: { a: '1' } },
        { type: 'mcp_server_tool_result', call_id: 'm1', name: 'f', server_name: 's', result: 'r' },
        { type: 'function_call', id: 'c1', name: 'f', arguments: { a: '1' }, signature: 'c2ln' },
        { type: 'function_result', call_id: 'c1', name: 'f', result: [{ type: 'text', text: 'r' }], is_error: true },
      ],
      system_instruction: 's',
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: schema },
        { type: 'google_search', search_types: ['web_search'] },
      ],
      generation_config: {
        max_output_tokens: 9,
        stop_sequences: ['z'],
        seed: 3,
        temperature: 0.5,
        thinking_level: 'low',
        thinking_summaries: 'auto',
        tool_choice: { allowed_tools: { mode: 'any', tools: ['f'] } },
      },
      response_format: [{ type: 'text', mime_type: 'application/json', schema }],
      previous_interaction_id: 'v1_1',
      store: true,
    },
    {
      agent: 'a',
      input: [
        { role: 'user', content: 'Hi' },
        {
          role: 'model',
          content: [
            { type: 'text', text: 't' },
            { type: 'function_call', id: 'c1', name: 'f', arguments: { a: '1' } },
          ],
        },
        { role: 'user', content: [{ type: 'function_result', call_id: 'c1', name: 'f', result: 'r' }] },
      ],
      response_format: { type: 'text', mime_type: 'application/json', schema },
    },
    { model: 'm', input: { type: 'text', text: 'one content' } },
  ],
  ollama: [
    {
      model: 'm',
      stream: false,
      messages: [
        { role: 'system', content: 's' },
        { role: 'User', content: 'Hi', images: ['iVBORw0KGgo='] },
        {
          role: 'assistant',
          content: '',
          thinking: 't',
          tool_calls: [{ id: 'c1', type: 'function', function: { index: 0, name: 'f', arguments: { a: '1' } } }],
        },
        { role: 'tool', content: 'r', tool_name: 'f', tool_call_id: 'c1' },
        { role: 'control', content: 'thinking' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema } }],
      format: 'json',
      think: 'low',
      keep_alive: '5m',
      options: {
        num_predict: 9,
        num_ctx: 99,
        temperature: 0.5,
        top_k: 3,
        top_p: 0.5,
        seed: 3,
        stop: 'z',
        presence_penalty: 0.1,
      },
      truncate: false,
    },
    { model: 'm', messages: said, think: true, format: schema, options: { num_predict: -1, stop: ['z'] } },
  ],
  cohere: [
    {
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 't' },
            { type: 'image_url', image_url: { url: 'https://pictures.example/a.png', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't' },
            { type: 'text', text: 't' },
          ],
          tool_plan: 'p',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"1"}' } }],
          citations: [
            {
              start: 0,
              end: 1,
              text: 't',
              sources: [{ type: 'document', id: 'd', document: { id: 'd', title: 'T' } }],
              type: 'TEXT_CONTENT',
            },
          ],
        },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [
            { type: 'document', document: { id: 'd', data: { text: 't', title: 'T' } } },
            { type: 'text', text: 'r' },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema } }],
      tool_choice: 'REQUIRED',
      strict_tools: true,
      documents: ['plain', { id: 'doc:0', data: { text: 't', title: 'T' } }],
      citation_options: { mode: 'FAST' },
      response_format: { type: 'json_object', json_schema: schema },
      thinking: { type: 'enabled', token_budget: 9 },
      max_tokens: 9,
      stop_sequences: ['z'],
      p: 0.5,
      k: 3,
    },
  ],
  'bedrock-converse': [
    {
      system: [
        { text: 's' },
        { cachePoint: { type: 'default', ttl: '1h' } },
        { guardContent: { text: { text: 'g' } } },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { text: 't' },
            { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } },
            { image: { format: 'png', source: { s3Location: { uri: 's3://a/b.png', bucketOwner: '123456789012' } } } },
            {
              document: {
                format: 'pdf',
                name: 'n',
                source: { bytes: 'JVBERg==' },
                context: 'c',
                citations: { enabled: true },
              },
            },
            { document: { format: 'txt', name: 'p', source: { text: 'plain' } } },
            { video: { format: 'mp4', source: { bytes: 'AAAA' } } },
            { audio: { format: 'mp3', source: { bytes: 'AAAA' } } },
            { searchResult: { source: 's', title: 'T', content: [{ text: 't' }] } },
            { cachePoint: { type: 'default' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 't', signature: 'c2ln' } } },
            { reasoningContent: { redactedContent: 'ZW5j' } },
            {
              citationsContent: {
                content: [{ text: 't' }],
                citations: [
                  { title: 'T', sourceContent: [{ text: 's' }], location: { web: { url: 'https://pages.example' } } },
                ],
              },
            },
            { toolUse: { toolUseId: 'c1', name: 'f', input: { a: '1' } } },
            { toolUse: { toolUseId: 'c2', name: 'nova_grounding', input: { q: 'q' }, type: 'server_tool_use' } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c1', content: [{ json: { a: 1 } }], status: 'success' } },
            {
              toolResult: {
                toolUseId: 'c1',
                content: [{ text: 'r' }, { document: { format: 'pdf', name: 'q', source: { bytes: 'JVBERg==' } } }],
                status: 'error',
              },
            },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.5, stopSequences: ['z'] },
      toolConfig: {
        tools: [
          { toolSpec: { name: 'f', description: 'd', inputSchema: { json: schema }, strict: true } },
          { systemTool: { name: 'nova_grounding' } },
          { cachePoint: { type: 'default' } },
        ],
        toolChoice: { tool: { name: 'f' } },
      },
      additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' }, top_k: 3 },
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'n', description: 'd' } },
        },
      },
      requestMetadata: { a: 'b' },
      promptVariables: { a: { text: 'b' } },
    },
    {
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      additionalModelRequestFields: { reasoning_config: 'low' },
    },
    {
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    },
    {
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 }, reasoning_effort: 'low' },
    },
  ],
}
