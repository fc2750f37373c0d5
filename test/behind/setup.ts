/** Before each test file of the project `behind`: a test that `differs.ts` lists must fail, and be there, so that the list stays true. */
import { afterAll, beforeEach, type RunnerTask } from 'vitest'
import { differencesOf } from './differs.ts'

const titlesOf = (task: RunnerTask): readonly string[] =>
  task.type === 'suite' ? task.tasks.flatMap(titlesOf) : [task.fullTestName]

let titles: readonly string[] | undefined
let listed: ReturnType<typeof differencesOf> = []

beforeEach(({ task }) => {
  listed = differencesOf(task.file.name)
  titles ??= titlesOf(task.file)
  if (listed.some(({ title }) => title.test(task.fullTestName))) Object.assign(task, { fails: true })
})

afterAll(() => {
  const gone = listed.filter(({ title }) => !titles?.some((one) => title.test(one)))
  if (gone.length > 0)
    throw new Error(`No test has the title ${gone.map(({ title }) => title).join(', ')} of differs.ts`)
})
