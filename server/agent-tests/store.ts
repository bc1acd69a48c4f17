import * as agents from '../agents/find.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { fingerprintOf } from '../kit/http/idempotency.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, preconditionFailed } from '../kit/problem.ts'
import {
  type AgentTest,
  type AgentTestChange,
  type NewAgentTest,
  type TestContent,
  test_defaults,
  tests_max,
} from './schema.ts'
import { testFaults } from './test-faults.ts'

const columns = raw('id, agent_id, name, kind, is_enabled, content, created_at, updated_at')

/** The content of a test that has no columns of its own. */
type Content = Omit<TestContent, 'name' | 'kind' | 'is_enabled'>

interface Row
  extends Pick<AgentTest, 'id' | 'agent_id' | 'name' | 'kind' | 'is_enabled' | 'created_at' | 'updated_at'> {
  content: Partial<Content>
}

const { is_enabled: _, ...defaults } = test_defaults

/** Fills in what the release that stored it didn't know. */
export const completeContent = (stored: Partial<Content>): Content => ({ ...defaults, ...stored })

const toTest = ({ content, ...row }: Row): AgentTest => ({ ...row, ...completeContent(content) })

const contentOf = ({ name: _name, kind: _kind, is_enabled: _is_enabled, ...content }: TestContent): Content => content

/** Hashes what a test does. The name doesn't count, and defaults that later releases add don't either. */
function hashOf({ kind, ...test }: TestContent): string {
  const content = contentOf({ kind, ...test })
  const names = (Object.keys(defaults) as (keyof Content)[]).sort()
  const isDefault = (name: keyof Content) => fingerprintOf(content[name]) === fingerprintOf(defaults[name])
  return fingerprintOf(kind, ...names.filter((name) => !isDefault(name)).map((name) => [name, content[name]]))
}

/** Creates a test. The agent is locked meanwhile, so that it is not deleted. */
export async function create(
  at: At,
  { agent_id, input }: { agent_id: string; input: NewAgentTest },
): Promise<AgentTest> {
  const { db, workspace, now } = at
  const test: TestContent = { ...test_defaults, ...input }
  const faults = await testFaults(test)
  if (faults.length > 0) throw invalid(faults)
  // The lock keeps two tests that come at once from both taking the last place.
  await agents.lock(at, { id: agent_id })
  const total = await page.count(
    db,
    sql`select from agent_tests where workspace_id = ${workspace} and agent_id = ${agent_id}`,
  )
  if (total >= tests_max) throw invalidState(`An agent can have at most ${tests_max} tests.`)
  const created_at = clock.iso(now)
  const created = await db.one<Row>(
    sql`insert into agent_tests (workspace_id, id, agent_id, name, kind, is_enabled, content, content_hash, created_at,
        updated_at)
      values (${workspace}, ${newId()}, ${agent_id}, ${test.name}, ${test.kind}, ${test.is_enabled},
        ${JSON.stringify(contentOf(test))}, ${hashOf(test)}, ${created_at}, ${created_at})
      returning ${columns}`,
  )
  return toTest(created)
}

export async function list(
  at: At,
  { agent_id, query }: { agent_id: string; query: page.PageQuery },
): Promise<page.Page<AgentTest>> {
  const { db, workspace } = at
  await agents.get(at, agent_id)
  const own = sql`from agent_tests where workspace_id = ${workspace} and agent_id = ${agent_id}`
  const found = await page.readSelection<Row>(
    db,
    query,
    page.newest_first,
    sql`select ${columns} ${own}`,
    sql`select ${own}`,
  )
  return { ...found, data: found.data.map(toTest) }
}

export interface OneTest {
  agent_id: string
  test_id: string
}

export const get = (at: At, one: OneTest): Promise<AgentTest> => find(at, one)

async function find({ db, workspace }: At, { agent_id, test_id }: OneTest, locking = raw('')): Promise<AgentTest> {
  const found = await db.maybe<Row>(
    sql`select ${columns} from agent_tests
      where workspace_id = ${workspace} and agent_id = ${agent_id} and id = ${test_id} ${locking}`,
  )
  if (!found) throw notFound()
  return toTest(found)
}

/** Changes a test. An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { change, isCurrent, ...one }: OneTest & { change: AgentTestChange; isCurrent: IsCurrent },
): Promise<AgentTest> {
  const { db, workspace, now } = at
  const before = await find(at, one, raw('for no key update'))
  if (!isCurrent(before)) throw preconditionFailed()
  if (Object.keys(change).length === 0) return before
  const { id, agent_id, created_at: _created_at, updated_at, ...test } = { ...before, ...change }
  const faults = await testFaults(test)
  if (faults.length > 0) throw invalid(faults)
  const changed = await db.one<Row>(
    sql`update agent_tests set name = ${test.name}, kind = ${test.kind}, is_enabled = ${test.is_enabled},
        content = ${JSON.stringify(contentOf(test))}, content_hash = ${hashOf(test)},
        updated_at = ${clock.laterThan(updated_at, now)}
      where workspace_id = ${workspace} and agent_id = ${agent_id} and id = ${id}
      returning ${columns}`,
  )
  return toTest(changed)
}

/** Removes a test. Its results in runs stay. */
export async function remove(
  at: At,
  { isCurrent, ...one }: OneTest & { isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { db, workspace } = at
  const before = await find(at, one, raw('for no key update'))
  if (!isCurrent(before)) throw preconditionFailed()
  await db.run(sql`delete from agent_tests where workspace_id = ${workspace} and id = ${before.id}`)
  return { deleted: true }
}

/** Deletes the tests of an agent that is being deleted. */
export const removeAll = ({ db, workspace }: At, agent_id: string): Promise<number> =>
  db.run(sql`delete from agent_tests where workspace_id = ${workspace} and agent_id = ${agent_id}`)
