/** The operator's view: who may see it, and what it says. */
import { describe, expect, it } from 'vitest'
import { streamCsv } from '../../src/worker/admin/csv.ts'
import { account, answerAdmin, ask, env, today, token, yesterday } from './admin-account.ts'

describe('the summary of the accounts', () => {
  it('is for requests with the admin token, and is kept nowhere', async () => {
    const answer = await answerAdmin(ask(), env)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      ...(await account.summary()),
      limits: { dailyBudget: 1_000_000, totalDailyBudget: 2_000_000, liveStreams: 4 },
    })
  })

  it.each([
    ['no token', {}],
    ['another token', { authorization: `Bearer ${token}x` }],
    ['the beginning of the token', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['two tokens', { authorization: `Bearer ${token}, Bearer ${token}` }],
    ['the token in another header', { 'x-api-key': token }],
  ])('is refused to who shows %s, always in the same words', async (_what, headers) => {
    const answer = await answerAdmin(ask('/admin/summary', { headers: headers as HeadersInit }), env)
    expect(answer.status).toBe(401)
    expect(await answer.json()).toEqual({ error: { message: 'The admin token is missing or wrong' } })
  })

  it.each([
    ['no token is set', { ...env, ADMIN_TOKEN: undefined }, '/admin/summary'],
    ['the token that is set is short', { ...env, ADMIN_TOKEN: token.slice(0, 31) }, '/admin/summary'],
    ['the path is another', env, '/admin/summary/x'],
  ])('is nowhere if %s', async (_what, settings, path) => {
    expect((await answerAdmin(ask(path), settings)).status).toBe(404)
  })

  it('is read by pages, by user, model or day, over as many days as its query says', async () => {
    const read = async (query: string) => (await answerAdmin(ask(`/admin/summary?${query}`), env)).json()
    const first = await read('by=model&span=1&limit=2')
    expect(first).toMatchObject({
      days: [
        { day: today, user: 'bob' },
        { day: today, user: 'ada' },
      ],
      usage: { by: 'model', span: 1, count: 2, rows: [{ name: ['gpt-5'] }, { name: ['claude-sonnet-5'] }] },
    })
    const second = await read(`limit=2&after=${encodeURIComponent(first.next)}`)
    expect([second.days, second.next]).toEqual([[expect.objectContaining({ day: yesterday, user: 'ada' })], undefined])
    const all = await read('limit=3')
    expect([all.days.length, all.next]).toEqual([3, undefined]) // a full page, and nothing after it
  })

  it('is exported as CSV, row by row, for requests with the token', async () => {
    const answer = await answerAdmin(ask('/admin/usage.csv'), env)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(answer.headers.get('content-disposition')).toContain('attachment')
    expect((await answer.text()).split('\r\n')).toEqual([
      'day,user,model,requests,inputTokens,outputTokens,usd',
      `${today},"bob","gpt-5",40,90000,8000,0.9`,
      `${today},"ada","claude-sonnet-5",3,1200,300,0.0045`,
      `${yesterday},"ada","gpt-5",2,10,20,1.25`,
      '',
    ])
    const one = await answerAdmin(ask('/admin/usage.csv?span=1'), env)
    expect((await one.text()).split('\r\n')).toHaveLength(4)
    for (const query of ['limit=5', 'span=0', 'by=user'])
      expect((await answerAdmin(ask(`/admin/usage.csv?${query}`), env)).status).toBe(400)
    expect((await answerAdmin(ask('/admin/usage.csv', {}), env)).status).toBe(401)
  })

  it('is exported so that a spreadsheet computes nothing of it', async () => {
    const row = { day: today, model: 'a"b', requests: 1, inputTokens: 1, outputTokens: 1, spent: 1 }
    const users = ['=1+1', '+1', '-1', '@x', 'a,b']
    const page = async () => ({ rows: users.map((user) => ({ ...row, user })) })
    const text = await new Response(streamCsv(page)).text()
    const fields = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(today.length + 1, -',1,1,1,0.000001'.length))
    expect(fields).toEqual([`"'=1+1","a""b"`, `"'+1","a""b"`, `"'-1","a""b"`, `"'@x","a""b"`, `"a,b","a""b"`])
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'limit=1e3',
    'limit=',
    'span=91',
    'span=-1',
    'by=constructor',
    'constructor=1',
    'after=x',
    'after=[]',
    'after=[1,2,3]',
    'user=ada',
  ])('refuses the query %s', async (query) => {
    expect((await answerAdmin(ask(`/admin/summary?${query}`), env)).status).toBe(400)
  })

  it('is not to be written to', async () => {
    const answer = await answerAdmin(ask('/admin/summary', { method: 'POST' }), env)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })
})
