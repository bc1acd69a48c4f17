import assert from 'node:assert/strict'
import { childrenOf, postmasterPid } from '../service.ts'
import { rehearse } from '../voice/world.ts'
import { answer, script, tellings } from './kills.ts'
import type { PhoneTalker } from './talker.ts'
import { explained } from './talker.ts'
import type { PhoneWorld } from './world.ts'

/** The database stops in the middle of a call, for a while. The talk goes on meanwhile, and all of it is written afterwards. */

const parts_after = 2

export async function checkDatabasePause(world: PhoneWorld, ms: number): Promise<string> {
  const { api, postgres_dir } = world
  const say = await rehearse([answer])
  const talker = await api.talk(await api.addAgent(script))
  return explained(talker, async () => {
    await talker.untilQuiet(0)
    const postmaster = postmasterPid(postgres_dir)
    const pids = [postmaster, ...childrenOf(postmaster)]
    const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
      for (const pid of pids) process.kill(pid, name)
    }
    const begun_ms = talker.now()
    signal('SIGSTOP')
    let answers = 0
    try {
      while (talker.now() < begun_ms + ms) {
        await hearNext(talker, say(answer))
        answers += 1
      }
    } finally {
      signal('SIGCONT')
    }
    const paused_ms = talker.now() - begun_ms
    for (let more = 0; more < parts_after; more += 1) await hearNext(talker, say(answer))
    answers += parts_after
    await talker.hangUp()
    const call = await api.untilEnded(talker.call_id)
    assert.equal(call.end_reason, 'contact_hung_up')
    const turns = await api.turns(talker.call_id)
    const said = turns.filter(({ role }) => role === 'agent').map(({ heard }) => heard?.trim())
    assert.deepEqual(
      said,
      Array.from({ length: answers + 1 }, (_, index) => tellings[index % tellings.length]),
      'all that was said is written',
    )
    assert.equal(turns.filter(({ role }) => role === 'contact').length, answers, 'all that was heard is written')
    assert.deepEqual(talker.findGaps(), [], 'nobody hears it')
    assert.equal(talker.connections, 1)
    return `the database stopped for ${(paused_ms / 1_000).toFixed(1)} s in a call: ${answers} answers, all written, in one stream`
  })
}

async function hearNext(talker: PhoneTalker, sound: Int16Array): Promise<void> {
  const { end_ms } = await talker.say(sound)
  await talker.untilQuiet(await talker.untilHeard(end_ms))
}
