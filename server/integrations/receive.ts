import * as clock from '../kit/clock.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { signatureFault } from '../kit/crypto/signing.ts'
import { assertShallow, readJson } from '../kit/http/body/read-json.ts'
import type { Knock } from '../kit/http/door.ts'
import { isJsonType } from '../kit/http/headers.ts'
import type { At, Caller, Raw } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { openTokenLookup } from '../kit/limits/token-lookup.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound, Problem, unsupportedMediaType } from '../kit/problem.ts'
import * as receipts from './receipts.ts'
import type { Received } from './schema.ts'
import * as integrations from './store.ts'
import { reasonsOf, upsert } from './upsert.ts'

const webhook_id_length_max = 255
const unreadable = 'The signing secret was sealed with another SECRETS_KEY than there is now: set it again.'

/** Lets in by the token in the address, as the integration. */
export function knocking(db: Db): (knock: Knock, now: number) => Promise<Caller> {
  const find = openTokenLookup<{ token: string }, integrations.Owner>((wanted) =>
    integrations.findAll(
      db,
      wanted.map(({ token }) => token),
    ),
  )
  return async ({ params: { token = '' } }, now) => {
    const found = isSecret(token) ? await find({ token }, now) : undefined
    if (!found) throw notFound()
    const scopes = { has: () => true, is_open: false }
    return { id: found.integration_id, workspace: found.workspace_id, scopes, source: 'webhook' }
  }
}

/** The contact, its CRM id, the events and the receipt, by one transaction. What is refused leaves a receipt alone. */
export async function receive(at: At, id: string, raw: Raw): Promise<Received | Problem> {
  const { db, workspace, now } = at
  const integration = await integrations.held(db, workspace, id)
  if (integration.status === 'disabled') throw invalidState('This integration is disabled.')
  const receipt_id = newId()
  const refused = async (problem: Problem, contact_id: string | null = null, payload?: unknown) => {
    const receipt = { id: receipt_id, outcome: 'refused' as const, reasons: reasonsOf(problem), contact_id, payload }
    await receipts.note(db, workspace, id, receipt, now)
    return new Problem(problem.code, problem.message, { ...problem.details, receipt_id }, problem.headers)
  }

  const message = open(at, integration, raw)
  if (message instanceof Problem) return refused(message)
  const { webhook_id, payload } = message
  const first = webhook_id === undefined ? receipt_id : await claim(at, id, webhook_id, receipt_id)
  if (first !== receipt_id) return { receipt_id: first, outcome: 'repeated', contact_id: null }

  const done = await upsert(at, payload, integration)
  if (done.problem) {
    // So that it may come again when the field map is mended.
    if (webhook_id !== undefined) await letGo(at, id, webhook_id)
    return refused(done.problem, done.contact_id, payload)
  }
  const { outcome, contact_id } = done
  await receipts.note(db, workspace, id, { id: receipt_id, outcome, reasons: [], contact_id, payload }, now)
  return { receipt_id, outcome, contact_id }
}

/** The JSON, once it is known to be the sender's. */
function open(
  { tools: { seal }, now }: At,
  { signing_secret }: integrations.Kept,
  { sent, bytes }: Raw,
): { payload: unknown; webhook_id: string | undefined } | Problem {
  const header = (name: string) => (sent(name).length === 1 ? (sent(name)[0] ?? '') : '')
  const webhook_id = header('webhook-id').slice(0, webhook_id_length_max + 1)
  if (signing_secret !== null) {
    const message = {
      id: webhook_id,
      timestamp: header('webhook-timestamp'),
      signatures: sent('webhook-signature').join(' '),
    }
    const secret = integrations.openedBy(seal, signing_secret)
    if (secret === undefined) return new Problem('UNAUTHORIZED', unreadable)
    const fault = signatureFault(secret, { ...message, body: bytes }, now)
    if (fault !== undefined) return new Problem('UNAUTHORIZED', fault)
  }
  if (!isJsonType(header('content-type')) || sent('content-encoding').some((coding) => coding !== 'identity')) {
    return unsupportedMediaType()
  }
  try {
    const payload = readJson(bytes)
    assertShallow(payload)
    return { payload, webhook_id: signing_secret === null ? undefined : webhook_id }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Waits for another with the same id. Gives the receipt that has it: this one, or an earlier one. */
async function claim({ db, workspace, now }: At, id: string, webhook_id: string, receipt_id: string): Promise<string> {
  await db.run(
    sql`insert into integration_messages (workspace_id, integration_id, webhook_id, receipt_id, received_at)
      values (${workspace}, ${id}, ${webhook_id}, ${receipt_id}, ${clock.iso(now)}) on conflict do nothing`,
  )
  const held = await db.one<{ receipt_id: string }>(
    sql`select receipt_id from integration_messages
      where workspace_id = ${workspace} and integration_id = ${id} and webhook_id = ${webhook_id}`,
  )
  return held.receipt_id
}

const letGo = ({ db, workspace }: At, id: string, webhook_id: string): Promise<number> =>
  db.run(
    sql`delete from integration_messages
      where workspace_id = ${workspace} and integration_id = ${id} and webhook_id = ${webhook_id}`,
  )
