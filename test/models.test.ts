import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publicPaths } from '../scripts/built-files.mjs'
import { anthropic } from '../src/formats/anthropic/index.ts'
import { model, parseModel, providerNames } from '../src/models.ts'
import { facts } from './formats/index.ts'

describe('parseModel', () => {
  it.each([
    ['openai:gpt-5', 'openai', 'gpt-5'],
    ['ollama:llama3:8b', 'ollama', 'llama3:8b'],
    ['ollama:hf.co/unsloth/Qwen3:Q4_K_M', 'ollama', 'hf.co/unsloth/Qwen3:Q4_K_M'],
    ['openrouter:deepseek/deepseek-r1:free', 'openrouter', 'deepseek/deepseek-r1:free'],
    ['vercel-gateway:anthropic/claude-sonnet-5', 'vercel-gateway', 'anthropic/claude-sonnet-5'],
    ['openai:ft:gpt-4o:acme::7q', 'openai', 'ft:gpt-4o:acme::7q'],
  ])('takes %s apart at its first colon', (name, provider, own) => {
    expect(parseModel(name)).toEqual({ provider, model: own })
  })

  it.each(['gpt-5', 'openai/gpt-5', '', ':gpt-5', 'nobody:gpt-5', 'constructor:x', '__proto__:x', 'OpenAI:gpt-5'])(
    'refuses "%s" and lists the names there are',
    (name) => {
      expect(() => parseModel(name)).toThrow(RangeError)
      expect(() => parseModel(name)).toThrow(/^Cannot find model ".*": .*known providers are .*anthropic.*openai/)
    },
  )

  it('refuses a provider without a model', () => {
    expect(() => parseModel('openai:')).toThrow(RangeError)
    expect(() => parseModel('openai:')).toThrow('nothing follows its colon')
  })

  it('does not repeat a long text that is not a name', () => {
    expect(() => parseModel('x'.repeat(10_000))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{0,600}$/) }),
    )
  })
})

describe('model', () => {
  it("gives what the provider's own function gives", () => {
    const settings = { apiKey: 'k', baseUrl: 'https://proxy.example', browser: true }
    const { codec, ...named } = model('anthropic:claude-sonnet-5', settings)
    const { codec: ownCodec, ...own } = anthropic('claude-sonnet-5', settings)
    expect(named).toEqual(own)
    expect(codec.headers('k')).toEqual(ownCodec.headers('k'))
  })

  it.each<readonly [name: string, format: string, provider: string]>([
    ['openai', 'openai-responses', 'openai'],
    ...Object.entries(facts).map(([name, { owner }]) => [name, name, owner] as const),
    ['groq', 'openai-chat', 'groq'],
    ['xai', 'openai-chat', 'xai'],
    ['xai-responses', 'openai-responses', 'xai'],
  ])('asks %s by the wire %s', (name, format, provider) => {
    const { codec, model: own } = model(`${name}:some:model`, { region: 'us-east-1' })
    expect([codec.name, codec.provider, own]).toEqual([format, provider, 'some:model'])
  })

  it('knows every codec and dialect there is, by its public path', () => {
    const sources = Object.entries(publicPaths(join(import.meta.dirname, '..')))
    const codecs = sources.filter(([, source]) => /^src\/(formats|providers)\//.test(source)).map(([name]) => name)
    expect(codecs.length).toBeGreaterThan(20)
    expect(codecs.filter((name) => !providerNames.includes(name))).toEqual([])
  })

  it.each(providerNames)('makes a model of %s that uses the given address', (name) => {
    const baseUrl = 'https://proxy.example/v1'
    expect(model(`${name}:m`, { baseUrl })).toMatchObject({ model: 'm', baseUrl })
  })

  const onAzure = ['azure-anthropic', 'azure-openai', 'azure-responses']
  const onBedrock = ['bedrock-anthropic', 'bedrock-converse', 'bedrock-invoke']
  const homeless = ['openai-compatible', ...onAzure, ...onBedrock, 'vertex-anthropic', 'workers-ai']
  it.each(providerNames.filter((name) => !homeless.includes(name)))('knows the address of %s', (name) => {
    expect(model(`${name}:m`).baseUrl).toMatch(/^https?:\/\/[^/]+/)
  })

  it('needs an address for servers that have none of their own', () => {
    for (const name of homeless) expect(() => model(`${name}:m`)).toThrow(TypeError)
    expect(model('workers-ai:@cf/qwen/q', { accountId: 'acme', apiKey: 'k' })).toMatchObject({
      model: '@cf/qwen/q',
      baseUrl: 'https://api.cloudflare.com/client/v4/accounts/acme/ai/v1',
    })
    expect(() => model('bedrock-converse:m')).toThrow('"region" is missing')
    expect(model('bedrock-converse:m', { region: 'eu-west-1' }).baseUrl).toBe(
      'https://bedrock-runtime.eu-west-1.amazonaws.com',
    )
    expect(model('azure-openai:m', { resource: 'acme' }).baseUrl).toBe('https://acme.openai.azure.com/openai/v1')
    expect(model('bedrock-anthropic:m', { region: 'eu-west-1' }).baseUrl).toContain('eu-west-1')
    expect(model('vertex-anthropic:m', { project: 'acme' }).baseUrl).toContain('/projects/acme/')
  })
})
