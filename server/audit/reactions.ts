import { type At, on, type Reaction } from '../kit/at.ts'
import { type Served, served } from '../kit/http/served.ts'
import { actionsOf, isAudited, subjectOf } from './audited.ts'
import { isRecorded, record } from './store.ts'

export const reactions: Reaction[] = [on(served, recordServed)]

async function recordServed(at: At, all: Served[]): Promise<void> {
  for (const one of all.filter(isAudited)) {
    const { operation, request } = one
    const { caller, request_id, client } = request
    // Requests of several callers may share a transaction.
    const acting = { ...at, actor: caller.actor, request: { id: request_id, ip: client.ip } }
    const is_counted = operation.kind === 'file'
    for (const action of actionsOf(one)) {
      const entry = { action, subject: subjectOf(one, at.workspace), is_counted }
      // A player asks for another part of a recording whenever someone seeks.
      if (!one.is_continued || !(await isRecorded(acting, entry))) await record(acting, entry)
    }
  }
}
